import { FairShare } from '../../database/fair-share.ts'

/**
 * Counts work that runs at the same time, up to a maximum. A key may have as many slots as are free, so it takes all of them only if there
 * is one.
 */
export interface Slots {
  /** Takes a slot for an API key. Returns false if there is none for it. */
  take: (keyId: string) => boolean | Promise<boolean>
  release: (keyId: string) => void
}

/** Creates slots that are counted in this process. */
export function createSlots(maximum: number): Slots {
  const slots = new FairShare(maximum)
  return {
    take: (keyId) => slots.take(keyId, 1),
    release: (keyId) => slots.add(keyId, -1),
  }
}
