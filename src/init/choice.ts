/** One way to understand a file. */
export interface Reading {
  /** What it means: `windows-1250`. */
  choice: string
  /** A real value of the file, as it is understood this way; empty if there is none. */
  example: string
  /** What the manifest has then: `"encoding": "windows-1250"`. */
  write: string
}

/** What a file leaves open, such as its encoding. The manifest has the first reading. */
export interface Choice {
  what: string
  readings: readonly Reading[]
}

/** @param members are those that the manifest has then */
export function toReading(choice: string, example: string, members: object): Reading {
  const written = Object.entries(members).map(
    ([member, value]) => `${JSON.stringify(member)}: ${JSON.stringify(value)}`,
  )
  return { choice, example, write: written.join(', ') }
}

/** What several readings leave open; nothing if there is only one. */
export function openChoice(what: string, readings: readonly Reading[]): Choice[] {
  return readings.length > 1 ? [{ what, readings }] : []
}
