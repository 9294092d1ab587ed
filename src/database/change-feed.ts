import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { CURRENT_POSITION, readPosition, type WalPosition } from './replica.ts'

/*
 * Every transaction that writes sends notifications on the channel `catalog`, which say what it changed (triggers in
 * prisma/migrations). The change feed listens to this channel. It tells caches whether their values are still current. PostgreSQL
 * sends a notification when its transaction is already visible. So a value read before the notification arrived may be old, and a
 * value read afterwards is new.
 */

/** What can change: one dataset, one API key, or any dataset. */
export type Topic = `dataset ${string}` | `key ${string}` | 'datasets'

/** The number of changes that had arrived at a point in time. */
export type SequenceNumber = number

/** The changes in the database of which this process has received notifications. */
export interface ChangeFeed {
  /** The sequence number of the latest change; undefined while the feed may miss changes. */
  latest: () => SequenceNumber | undefined
  /** Whether the topics have not changed since a sequence number; false while the feed may miss changes. */
  isUnchanged: (topics: readonly Topic[], since: SequenceNumber) => boolean
  /** A position in the write-ahead log that comes after all received changes; undefined if it is not known. */
  position: () => WalPosition | undefined
  close: () => Promise<void>
}

/** A feed that never listens. Caches with this feed store nothing. */
export const silentChangeFeed: ChangeFeed = {
  latest: () => undefined,
  isUnchanged: () => false,
  position: () => undefined,
  close: async () => {},
}

interface FollowOptions {
  /** Creates a client that is not yet connected. */
  createClient: () => pg.Client
  /** Whether to check the connection at intervals, because a network can drop it without an error. */
  needsHeartbeat: boolean
  /** Whether to keep `position` up to date, for replicas. */
  tracksPosition: boolean
}

/** After a heartbeat, the feed counts as complete for this long. If the network fails, caches return no old value after it. */
const HEARTBEAT_VALID_MS = 900
const HEARTBEAT_INTERVAL_MS = 250
const HEARTBEAT_TIMEOUT_MS = 5_000
const RECONNECT_MS = 200
/** Above this number of topics, the log is cleared, and all cached values become invalid. */
const MAX_TOPICS = 100_000

/** Starts to listen for changes. It connects again whenever the connection is lost. */
export function followChanges({ createClient, needsHeartbeat, tracksPosition }: FollowOptions): ChangeFeed {
  const changes = new ChangeLog()
  let position: PositionTracker | undefined
  const closing = Promise.withResolvers<void>()
  let isClosing = false
  let completeUntilMs = Number.NEGATIVE_INFINITY

  const listen = async () => {
    const client = createClient()
    const tracker = tracksPosition ? new PositionTracker(client) : undefined
    const disconnected = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
      void closing.promise.then(() => resolve())
    })
    client.on('notification', ({ payload }) => {
      changes.add(payload ?? '')
      tracker?.update()
    })
    try {
      await client.connect()
      await client.query('LISTEN catalog')
      // The feed has missed any changes before this point.
      changes.invalidateAll()
      position = tracker
      tracker?.update()
      if (needsHeartbeat) await sendHeartbeats(client, disconnected)
      else {
        completeUntilMs = Number.POSITIVE_INFINITY
        await disconnected
      }
    } finally {
      completeUntilMs = Number.NEGATIVE_INFINITY
      // Not awaited, because a server that does not answer would delay the next connection.
      void client.end()
    }
  }

  /** Sends a statement at intervals. PostgreSQL sends all pending notifications before the answer. */
  const sendHeartbeats = async (client: pg.Client, disconnected: Promise<void>) => {
    const isDisconnected = disconnected.then(() => true)
    for (;;) {
      const sentAtMs = performance.now()
      const answered = client.query('SELECT 1').then(() => false)
      if (await Promise.race([answered, isDisconnected, sleep(HEARTBEAT_TIMEOUT_MS, true, { ref: false })])) return
      completeUntilMs = sentAtMs + HEARTBEAT_VALID_MS
      if (await Promise.race([isDisconnected, sleep(HEARTBEAT_INTERVAL_MS, false, { ref: false })])) return
    }
  }

  const following = (async () => {
    while (!isClosing) {
      // Not logged, because the requests that need the database report that it is unavailable.
      await listen().catch(() => {})
      await Promise.race([closing.promise, sleep(RECONNECT_MS, undefined, { ref: false })])
    }
  })()

  const isComplete = () => performance.now() < completeUntilMs
  return {
    latest: () => (isComplete() ? changes.latest : undefined),
    isUnchanged: (topics, since) => isComplete() && changes.isUnchanged(topics, since),
    position: () => (isComplete() ? position?.known : undefined),
    close: async () => {
      isClosing = true
      closing.resolve()
      await following
    },
  }
}

/** Tracks the end of the write-ahead log at the last notification on one connection. */
class PositionTracker {
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

/** Records the sequence number of the last change of each topic. */
class ChangeLog {
  latest: SequenceNumber = 0
  #allInvalidAt: SequenceNumber = 0
  readonly #changedAt = new Map<string, SequenceNumber>()

  /** Adds the change of a notification, whose payload is a topic or `everything`. */
  add(payload: string): void {
    if (payload === 'everything' || this.#changedAt.size >= MAX_TOPICS) this.invalidateAll()
    this.latest += 1
    this.#changedAt.set(payload, this.latest)
    if (payload.startsWith('dataset ')) this.#changedAt.set('datasets', this.latest)
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
