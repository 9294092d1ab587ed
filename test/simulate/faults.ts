/** The faults of a run. */
export class FaultLog {
  readonly #counts = new Map<string, number>()
  readonly #limit: number
  readonly #onFirst: () => void
  #printed = 0

  /** @param onFirst is called with the first fault */
  constructor({ limit, onFirst }: { limit: number; onFirst: () => void }) {
    this.#limit = limit
    this.#onFirst = onFirst
  }

  /** Prints a fault, up to the limit of each kind, and counts it. */
  add(kind: string, lines: readonly string[]): void {
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    if (count <= this.#limit) print(`FAULT ${kind}: ${lines.join('\n  ')}`)
    this.#printed += 1
    if (this.#printed === 1) this.#onFirst()
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
