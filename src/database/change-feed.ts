import type { LogPosition } from './log-position.ts'

/*
 * Every transaction that writes sends notifications on the channel `catalog`, which say what it changed (triggers in
 * prisma/migrations). The change feed listens to this channel. It tells caches whether their values are still current. PostgreSQL
 * sends a notification when its transaction is already visible. So a value read before the notification arrived may be old, and a
 * value read afterwards is new. A value may also be newer than the notifications that have arrived (`announced`).
 */

/** What can change: one dataset, one API key, or any of them. */
export type Topic = `dataset ${string}` | `key ${string}` | 'datasets' | 'keys'

/** The number of changes that had arrived at a point in time. */
export type SequenceNumber = number

/** Above this number of topics, the log is cleared, and all cached values become invalid. */
const MAX_TOPICS = 100_000

/** Records the sequence number of the last change of each topic. */
export class ChangeLog {
  latest: SequenceNumber = 0
  #allInvalidAt: SequenceNumber = 0
  readonly #changedAt = new Map<string, SequenceNumber>()

  /** Adds the change of a notification, whose payload is a topic or `everything`. */
  add(payload: string): void {
    if (payload === 'everything' || this.#changedAt.size >= MAX_TOPICS) this.invalidateAll()
    this.latest += 1
    this.#changedAt.set(payload, this.latest)
    for (const kind of ['dataset', 'key'])
      if (payload.startsWith(`${kind} `)) this.#changedAt.set(`${kind}s`, this.latest)
  }

  /** Treats all topics as changed now. */
  invalidateAll(): void {
    this.latest += 1
    this.#allInvalidAt = this.latest
    this.#changedAt.clear()
  }

  isUnchanged(topics: readonly Topic[], since: SequenceNumber): boolean {
    if (since < this.#allInvalidAt) return false
    for (const topic of topics) {
      const changedAt = this.#changedAt.get(topic)
      if (changedAt !== undefined && changedAt > since) return false
    }
    return true
  }
}

/** What a listening connection observes, in order. It is JSON, so that one process can send it to others. */
export type FeedEvent =
  /** A notification with this payload arrived. */
  | { kind: 'changed'; payload: string }
  /** The connection is new, so earlier notifications may be missing. */
  | { kind: 'connected' }
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
  readonly #listeners: (() => void)[] = []
  #connections = 0

  apply(event: FeedEvent): void {
    this.#apply(event)
    for (const listener of this.#listeners) listener()
  }

  #apply(event: FeedEvent): void {
    switch (event.kind) {
      case 'changed':
        this.#position = undefined
        this.#changes.add(event.payload)
        break
      case 'connected':
        this.#position = undefined
        this.#connections += 1
        this.#changes.invalidateAll()
        break
      case 'complete':
        // A value that was read while the feed was incomplete did not wait for its announcements.
        if (!this.#isComplete()) this.#changes.invalidateAll()
        this.#completeUntilMs = event.untilMs - OFFSET_MS
        this.#completeUntilDateMs = event.untilDateMs
        break
      case 'position':
        this.#position = { mark: event.mark, offset: BigInt(event.offset) }
        break
      case 'disconnected':
        this.#completeUntilMs = Number.NEGATIVE_INFINITY
    }
  }

  /** Events that bring the state of a process without cached values up to date. */
  snapshot(): FeedEvent[] {
    if (!this.#isComplete()) return []
    const untilMs = this.#completeUntilMs + OFFSET_MS
    const events: FeedEvent[] = [{ kind: 'complete', untilMs, untilDateMs: this.#completeUntilDateMs }]
    if (this.#position) events.push({ ...this.#position, kind: 'position', offset: String(this.#position.offset) })
    return events
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

  /** The change feed with this state, and with the functions that its connection has. */
  feed(connection: Pick<ChangeFeed, 'announced' | 'close'>): ChangeFeed {
    return {
      latest: () => this.latest(),
      isUnchanged: (topics, since) => this.isUnchanged(topics, since),
      position: () => this.position(),
      connections: () => this.#connections,
      onEvent: (listener) => void this.#listeners.push(listener),
      ...connection,
    }
  }

  #isComplete(): boolean {
    // The monotonic clock stops while the machine is suspended. The system's date can be set back.
    return performance.now() < this.#completeUntilMs && Date.now() < this.#completeUntilDateMs
  }
}

/** The changes in the database of which this process has received notifications. */
export interface ChangeFeed {
  /** The sequence number of the latest change; undefined while the feed may miss changes. */
  latest: () => SequenceNumber | undefined
  /** Whether the topics have not changed since a sequence number; false while the feed may miss changes. */
  isUnchanged: (topics: readonly Topic[], since: SequenceNumber) => boolean
  /**
   * Resolves when this process has received the notifications of all changes that a read can have seen by now, or when the feed may
   * miss changes.
   */
  announced: () => Promise<void>
  /** A position in the write-ahead log that comes after all received changes; undefined if it is not known. */
  position: () => LogPosition | undefined
  /** Calls a function after each event: a change, or the start or the end of a time in which changes may be missing. */
  onEvent: (listener: () => void) => void
  /** How many times the feed has connected: a new connection may reach another server than those before. */
  connections: () => number
  close: () => Promise<void>
}
