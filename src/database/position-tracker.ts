import type { SqlSession } from '../sql.ts'
import { type LogPosition, readPrimaryPosition } from './log-position.ts'

/** Tracks the end of the write-ahead log at the last notification on one connection. */
export class PositionTracker {
  readonly #client: SqlSession
  readonly #onPosition: (position: LogPosition) => void
  #notifications = 0
  #isReading = false

  /** @param onPosition is called with a position after all notifications so far */
  constructor(client: SqlSession, onPosition: (position: LogPosition) => void) {
    this.#client = client
    this.#onPosition = onPosition
  }

  /** Reads the position again, because a notification arrived. */
  update(): void {
    this.#notifications += 1
    // Before the migration that creates the tables, the position is unknown. The migration sends a notification.
    if (!this.#isReading) this.#read().catch(() => {})
  }

  async #read(): Promise<void> {
    this.#isReading = true
    try {
      let position: LogPosition | undefined
      let notifications: number
      do {
        notifications = this.#notifications
        position = await readPrimaryPosition(this.#client)
        // If a notification arrived before the answer, its change may come after this position.
      } while (notifications !== this.#notifications)
      if (position) this.#onPosition(position)
    } finally {
      this.#isReading = false
    }
  }
}
