import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { Random } from './random.ts'

/** A TCP proxy in front of PostgreSQL that holds some messages for some time. */
export interface DelayProxy extends Pick<DatabaseProxy, 'url' | 'close'> {
  /** Whether it holds messages. At first it does not. */
  setActive: (isActive: boolean) => void
}

/** Of the packets, this part is held in a second with holds, */
const HELD = 0.15
/** for up to this time. Mostly it is short. */
const MAX_HOLD_MS = 400

/** Opens a proxy to the server of a URL. On one connection it never changes the order. */
export async function openDelayProxy(serverUrl: string, seed: string): Promise<DelayProxy> {
  const random = new Random(seed)
  let isActive = false
  // Every other time, a proxy holds nothing for a while, so that many requests fall between two changes.
  let stormyUntil = 0
  let calmUntil = 0
  const isStormy = () => {
    const now = performance.now()
    if (now > calmUntil) {
      stormyUntil = now + 500 + random.below(2_500)
      calmUntil = stormyUntil + random.below(3_000)
    }
    return now < stormyUntil
  }
  const holdMs = () => (isActive && isStormy() && random.chance(HELD) ? random.mostlyLow(1, MAX_HOLD_MS) : 0)
  const { url, close } = await openProxy(serverUrl, { holdMs })
  return {
    url,
    close,
    setActive: (active) => {
      isActive = active
    },
  }
}
