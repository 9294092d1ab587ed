/** With `--keep-going`, so many faults of each kind are printed, and all are counted. */
const PRINTED = 12

interface FaultLogOptions {
  /** The seed and the commit. */
  source: string
  keepsGoing: boolean
  /** Ends the simulation. */
  end: () => void
}

/** Prints and counts the faults of a run. Unless it keeps going, the first one ends it. */
export class FaultLog {
  readonly #counts = new Map<string, number>()
  readonly #options: FaultLogOptions

  constructor(options: FaultLogOptions) {
    this.#options = options
  }

  add(kind: string, lines: readonly string[]): void {
    const { source, keepsGoing, end } = this.#options
    if (!keepsGoing && this.count > 0) return
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    if (count <= PRINTED) print(`FAULT ${kind} (${source}): ${lines.join('\n  ')}`)
    if (!keepsGoing) end()
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** The number of each kind. */
  get summary(): string {
    return [...this.#counts].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none'
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
