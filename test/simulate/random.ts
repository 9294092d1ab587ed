import { createHash } from 'node:crypto'

/** A sequence of choices that a seed fixes (mulberry32). Each part of the simulation has its own, with its name in the seed. */
export class Random {
  #state: number

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** A number from 0 (included) to 1 (excluded). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number from 0 (included) to `end` (excluded). */
  below(end: number): number {
    return Math.floor(this.number() * end)
  }

  chance(probability: number): boolean {
    return this.number() < probability
  }

  /** A number between two bounds, more often a low one. */
  mostlyLow(low: number, high: number): number {
    return low + (high - low) * this.number() ** 3
  }

  /** An element of a list. @throws if the list is empty */
  pick<Value>(list: readonly Value[]): Value {
    const value = list[this.below(list.length)]
    if (value === undefined) throw new RangeError('The list is empty')
    return value
  }

  /** The same elements in another order. */
  shuffle<Value>(list: readonly Value[]): Value[] {
    return list
      .map((value) => [this.number(), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value)
  }

  /** Some elements of a list, in another order: at least `minimum`. */
  some<Value>(list: readonly Value[], minimum = 0): Value[] {
    return this.shuffle(list).slice(0, minimum + this.below(list.length - minimum + 1))
  }

  /** A key of an object, as often as its number says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights).filter((name): name is Name => name in weights)
    const place = this.number() * names.reduce((sum, name) => sum + weights[name], 0)
    let sum = 0
    for (const name of names) {
      sum += weights[name]
      if (place < sum) return name
    }
    return this.pick(names)
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }

  /** A text of 43 characters in base64url. */
  secret(): string {
    return Buffer.from(Array.from({ length: 32 }, () => this.below(256))).toString('base64url')
  }
}
