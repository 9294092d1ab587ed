/** One way to understand a file. */
export interface Choice {
  /** Its name for people: `windows-1250`. */
  choice: string
  /** A real value of the file, as it is understood this way; empty if there is none. */
  example: string
  /** What the manifest has then: `"encoding": "windows-1250"`. */
  write: string
}

/**
 * What was concluded about a file and is not proved by it. The rule: all that is inferred is proved by the file, or it is one of these and
 * a command says it.
 */
export interface Inference {
  /** What was inferred: `encoding`, `identity`. */
  what: string
  /** What the manifest has. */
  chosen: Choice
  /** What the file may mean as well, the likelier first. */
  alternatives: readonly Choice[]
}

/** Returns the lines that say an inference: what the manifest has, and what to write for each alternative. */
export function describeInference({ what, chosen, alternatives }: Inference): string[] {
  const say = ({ choice, example }: Choice) => (example === '' ? choice : `${choice}: ${example}`)
  return [
    `guess: ${what} is ${say(chosen)}; the manifest has ${chosen.write}`,
    ...alternatives.map((each) => `  or ${say(each)}; then write ${each.write}`),
  ]
}
