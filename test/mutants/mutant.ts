/** A small bug: a text of a source file, and the text that replaces it. */
export interface Mutant {
  /** It occurs exactly once in the file. */
  find: string
  replace: string
  /** The test files that should catch it, if they are others than those of the table. */
  tests?: readonly string[]
  /** Why nothing changes that anybody can observe. Then no test catches the mutant. */
  equivalent?: string
  /** Whether it can be seen on a PostgreSQL server only. The embedded database has one session, so its locks never wait. */
  needsServer?: true
}

/** The mutants of a source file. */
export interface MutantTable {
  file: string
  /** The test files that should catch them, the fastest first. */
  tests: readonly string[]
  mutants: readonly Mutant[]
}

/**
 * Returns the source with the bug.
 * @throws if the text to replace does not occur exactly once, or does not change
 */
export function mutate(source: string, { find, replace }: Mutant): string {
  const parts = source.split(find)
  const [before, after] = parts
  if (before === undefined || after === undefined || parts.length > 2) {
    throw new Error(`The text must occur once, but it occurs ${parts.length - 1} times: ${find}`)
  }
  if (find === replace) throw new Error(`The text does not change: ${find}`)
  return before + replace + after
}
