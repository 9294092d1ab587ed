/** One way to understand a file. */
export interface Reading {
  /** Its name for people: `windows-1250`. */
  choice: string
  /** A real value of the file, as it is understood this way; empty if there is none. */
  example: string
  /** What the manifest has then: `"encoding": "windows-1250"`; empty if a manifest can't say it. */
  write: string
}

/** What a file leaves open: the reading that the manifest has, and the others, the likelier first. */
export interface Choice {
  /** What is open: `encoding`, `identity`. */
  what: string
  chosen: Reading
  alternatives: readonly Reading[]
}

/** The text that a member of a manifest has. */
export function written(members: object): string {
  return Object.entries(members)
    .map(([member, value]) => `${JSON.stringify(member)}: ${JSON.stringify(value)}`)
    .join(', ')
}
