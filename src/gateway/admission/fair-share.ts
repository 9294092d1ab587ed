import type { LimitsConfig } from '../../config/config.ts'

/**
 * Divides a capacity among owners, for example the memory for responses among API keys. An owner may hold at most as much as is
 * free: a dynamic threshold (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998). So one owner alone gets half, two
 * get a third each, and there is room for a newcomer.
 */
export class FairShare {
  readonly #capacity: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** What all owners hold together. */
  get total(): number {
    return this.#total
  }

  /** Whether the owner may hold this much more. While all owners hold nothing, it may hold any amount. */
  hasRoom(owner: string, amount: number): boolean {
    return this.#total === 0 || this.#heldBy(owner) + amount <= this.#capacity - this.#total
  }

  /** Whether the owner would have at most its share if all owners wanted as much as they can get. */
  isEntitled(owner: string, amount: number): boolean {
    const owners = this.#held.size + (this.#held.has(owner) ? 0 : 1)
    return this.#heldBy(owner) + amount <= this.#capacity / (owners + 1)
  }

  /** Adds to what the owner holds if there is room for it. Returns whether there is. */
  take(owner: string, amount: number): boolean {
    if (!this.hasRoom(owner, amount)) return false
    this.add(owner, amount)
    return true
  }

  /** Adds to what the owner holds. A negative amount takes away. */
  add(owner: string, amount: number): void {
    const held = this.#heldBy(owner) + amount
    this.#total += amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }
}

/**
 * Counts work that runs at the same time, up to a maximum: exports, and requests that use the database. More is refused, because a queue
 * would grow and delay every request. A key may have as many slots as are free, so it takes all of them only if there is one.
 */
export interface Slots<Taken = boolean | Promise<boolean>> {
  /** Takes a slot for an API key. Returns false if there is none for it. */
  take: (keyId: string) => Taken
  release: (keyId: string) => void
}

/** Creates slots of which one key may have all. */
export function createCounter(maximum: number): Slots<boolean> {
  let taken = 0
  return {
    take: () => {
      if (taken >= maximum) return false
      taken += 1
      return true
    },
    release: () => {
      taken -= 1
    },
  }
}

/** Creates slots that are counted in this process. */
export function createSlots(maximum: number): Slots<boolean> {
  const slots = new FairShare(maximum)
  return {
    take: (keyId) => slots.take(keyId, 1),
    release: (keyId) => slots.add(keyId, -1),
  }
}

/** What is counted for all processes of a port: exports, and requests that wait for changes. */
export type SlotKind = 'exports' | 'waiting'

/** Creates the slots of each kind. */
export function countSlots({ maxExports, maxWaiting }: Pick<LimitsConfig, 'maxExports' | 'maxWaiting'>) {
  return { exports: createSlots(maxExports), waiting: createCounter(maxWaiting) } satisfies Record<SlotKind, Slots>
}
