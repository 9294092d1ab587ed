import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ChangeLog, type SequenceNumber, type Topic } from './change-log.ts'
import { PositionTracker } from './position-tracker.ts'
import type { WalPosition } from './replica.ts'

/*
 * Every transaction that writes sends notifications on the channel `catalog`, which say what it changed (triggers in
 * prisma/migrations). The change feed listens to this channel. It tells caches whether their values are still current. PostgreSQL
 * sends a notification when its transaction is already visible. So a value read before the notification arrived may be old, and a
 * value read afterwards is new.
 */

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
      if (needsHeartbeat) {
        await sendHeartbeats(client, disconnected, (sentAtMs) => {
          completeUntilMs = sentAtMs + HEARTBEAT_VALID_MS
        })
      } else {
        completeUntilMs = Number.POSITIVE_INFINITY
        await disconnected
      }
    } finally {
      completeUntilMs = Number.NEGATIVE_INFINITY
      // Not awaited, because a server that does not answer would delay the next connection.
      void client.end()
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

/**
 * Sends a statement at intervals, until the connection ends or an answer takes too long. PostgreSQL sends all pending
 * notifications before each answer. `onAnswer` gets the time (milliseconds of `performance.now`) at which the statement was sent.
 */
async function sendHeartbeats(
  client: pg.Client,
  disconnected: Promise<void>,
  onAnswer: (sentAtMs: number) => void,
): Promise<void> {
  const isDisconnected = disconnected.then(() => true)
  for (;;) {
    const sentAtMs = performance.now()
    const answered = client.query('SELECT 1').then(() => false)
    if (await Promise.race([answered, isDisconnected, sleep(HEARTBEAT_TIMEOUT_MS, true, { ref: false })])) return
    onAnswer(sentAtMs)
    if (await Promise.race([isDisconnected, sleep(HEARTBEAT_INTERVAL_MS, false, { ref: false })])) return
  }
}
