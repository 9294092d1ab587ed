import { FairShare } from './fair-share.ts'

/**
 * Counts work that runs at the same time, up to a maximum: exports, and requests that use the database. More is refused, because a queue
 * would grow and delay every request. A key may have as many slots as are free, so it takes all of them only if there is one.
 */
export interface Slots<Taken = boolean | Promise<boolean>> {
  /** Takes a slot for an API key. Returns false if there is none for it. */
  take: (keyId: string) => Taken
  release: (keyId: string) => void
}

/** Creates slots that are counted in this process. */
export function createSlots(maximum: number): Slots<boolean> {
  const slots = new FairShare(maximum)
  return {
    take: (keyId) => slots.take(keyId, 1),
    release: (keyId) => slots.add(keyId, -1),
  }
}
