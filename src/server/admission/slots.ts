/** Counts work that runs at the same time, up to a maximum. */
export interface Slots {
  /** Takes a slot. Returns false if all are taken. */
  take: () => boolean | Promise<boolean>
  release: () => void
}

/** Creates slots that are counted in this process. */
export function createSlots(maximum: number): Slots {
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
