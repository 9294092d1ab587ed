import type pg from 'pg'
import { CURRENT_POSITION, readPosition, type WalPosition } from './replica.ts'

/** Tracks the end of the write-ahead log at the last notification on one connection. */
export class PositionTracker {
  known: WalPosition | undefined
  readonly #client: pg.Client
  #notifications = 0
  #isReading = false

  constructor(client: pg.Client) {
    this.#client = client
  }

  /** Reads the position again, because a notification arrived. */
  update(): void {
    this.known = undefined
    this.#notifications += 1
    // A lost connection also ends `listen`. The next connection gets a new tracker.
    if (!this.#isReading) this.#read().catch(() => {})
  }

  async #read(): Promise<void> {
    this.#isReading = true
    while (this.known === undefined) {
      const notifications = this.#notifications
      const position = await readPosition(this.#client, CURRENT_POSITION)
      // If a notification arrived meanwhile, its change may come after this position.
      if (notifications === this.#notifications) this.known = position
    }
    this.#isReading = false
  }
}
