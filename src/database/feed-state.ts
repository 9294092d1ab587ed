import { ChangeLog, type SequenceNumber, type Topic } from './change-log.ts'
import type { WalPosition } from './replica.ts'

/** What a listening connection observes, in order. It is JSON, so that one process can send it to others. */
export type FeedEvent =
  /** A notification with this payload arrived. */
  | { kind: 'changed'; payload: string }
  /** The connection is new, so earlier notifications may be missing. */
  | { kind: 'connected' }
  /** No notification is missing until this time, in milliseconds of `clockMs`. */
  | { kind: 'complete'; untilMs: number }
  /** A position in the write-ahead log that comes after all changes so far. */
  | { kind: 'position'; position: string }
  | { kind: 'disconnected' }

/** The system's monotonic clock, in milliseconds. Unlike `performance.now`, it is the same in all processes of a machine. */
export function clockMs(): number {
  return performance.now() + OFFSET_MS
}

const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** What a process knows of the changes in the database, from the events of one listening connection. */
export class FeedState {
  readonly #changes = new ChangeLog()
  #completeUntilMs = Number.NEGATIVE_INFINITY
  #position: WalPosition | undefined

  apply(event: FeedEvent): void {
    switch (event.kind) {
      case 'changed':
        this.#position = undefined
        this.#changes.add(event.payload)
        break
      case 'connected':
        this.#position = undefined
        this.#changes.invalidateAll()
        break
      case 'complete':
        this.#completeUntilMs = event.untilMs - OFFSET_MS
        break
      case 'position':
        this.#position = BigInt(event.position)
        break
      case 'disconnected':
        this.#completeUntilMs = Number.NEGATIVE_INFINITY
    }
  }

  /** Events that bring the state of a process without cached values up to date. */
  snapshot(): FeedEvent[] {
    const position = this.position()
    return [
      ...(this.#isComplete() ? [{ kind: 'complete', untilMs: this.#completeUntilMs + OFFSET_MS } as const] : []),
      ...(position === undefined ? [] : [{ kind: 'position', position: String(position) } as const]),
    ]
  }

  latest(): SequenceNumber | undefined {
    return this.#isComplete() ? this.#changes.latest : undefined
  }

  isUnchanged(topics: readonly Topic[], since: SequenceNumber): boolean {
    return this.#isComplete() && this.#changes.isUnchanged(topics, since)
  }

  position(): WalPosition | undefined {
    return this.#isComplete() ? this.#position : undefined
  }

  #isComplete(): boolean {
    return performance.now() < this.#completeUntilMs
  }
}
