import type pg from 'pg'
import { CURRENT_POSITION, readPosition, type WalPosition } from './replica.ts'

/** Tracks the end of the write-ahead log at the last notification on one connection. */
export class PositionTracker {
  readonly #client: pg.Client
  readonly #onPosition: (position: WalPosition) => void
  #notifications = 0
  #isReading = false

  /** @param onPosition is called with a position after all notifications so far */
  constructor(client: pg.Client, onPosition: (position: WalPosition) => void) {
    this.#client = client
    this.#onPosition = onPosition
  }

  /** Reads the position again, because a notification arrived. */
  update(): void {
    this.#notifications += 1
    // A lost connection also ends `listen`. The next connection gets a new tracker.
    if (!this.#isReading) this.#read().catch(() => {})
  }

  async #read(): Promise<void> {
    this.#isReading = true
    let position: WalPosition | undefined
    let notifications: number
    do {
      notifications = this.#notifications
      position = await readPosition(this.#client, CURRENT_POSITION)
      // If a notification arrived meanwhile, its change may come after this position.
    } while (notifications !== this.#notifications)
    this.#isReading = false
    if (position !== undefined) this.#onPosition(position)
  }
}
