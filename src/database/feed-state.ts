import { ChangeLog, type SequenceNumber, type Topic } from './change-log.ts'
import type { LogPosition } from './log-position.ts'

/** What a listening connection observes, in order. It is JSON, so that one process can send it to others. */
export type FeedEvent =
  /** A notification with this payload arrived. */
  | { kind: 'changed'; payload: string }
  /** The connection to a server is new, so earlier notifications may be missing. The embedded database has no name. */
  | { kind: 'connected'; server?: string | undefined }
  /** No notification is missing until one of these times, in milliseconds of `clockMs` and of `Date.now`. */
  | { kind: 'complete'; untilMs: number; untilDateMs: number }
  /** A position in the log of the primary with this mark that comes after all changes so far (log-position.ts). */
  | { kind: 'position'; mark: string; offset: string }
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
  #completeUntilDateMs = Number.NEGATIVE_INFINITY
  #position: LogPosition | undefined
  #server: string | undefined

  apply(event: FeedEvent): void {
    switch (event.kind) {
      case 'changed':
        this.#position = undefined
        this.#changes.add(event.payload)
        break
      case 'connected':
        this.#position = undefined
        this.#server = event.server
        this.#changes.invalidateAll()
        break
      case 'complete':
        this.#completeUntilMs = event.untilMs - OFFSET_MS
        this.#completeUntilDateMs = event.untilDateMs
        break
      case 'position':
        this.#position = { mark: event.mark, offset: BigInt(event.offset) }
        break
      case 'disconnected':
        this.#completeUntilMs = Number.NEGATIVE_INFINITY
        this.#server = undefined
    }
  }

  /** Events that bring the state of a process without cached values up to date. */
  snapshot(): FeedEvent[] {
    const events: FeedEvent[] = this.#server === undefined ? [] : [{ kind: 'connected', server: this.#server }]
    if (!this.#isComplete()) return events
    const untilMs = this.#completeUntilMs + OFFSET_MS
    events.push({ kind: 'complete', untilMs, untilDateMs: this.#completeUntilDateMs })
    if (this.#position) events.push({ ...this.#position, kind: 'position', offset: String(this.#position.offset) })
    return events
  }

  server(): string | undefined {
    return this.#server
  }

  latest(): SequenceNumber | undefined {
    return this.#isComplete() ? this.#changes.latest : undefined
  }

  isUnchanged(topics: readonly Topic[], since: SequenceNumber): boolean {
    return this.#isComplete() && this.#changes.isUnchanged(topics, since)
  }

  position(): LogPosition | undefined {
    return this.#isComplete() ? this.#position : undefined
  }

  #isComplete(): boolean {
    // The monotonic clock stops while the machine is suspended. The system's date can be set back.
    return performance.now() < this.#completeUntilMs && Date.now() < this.#completeUntilDateMs
  }
}
