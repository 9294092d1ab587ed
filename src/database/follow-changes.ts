import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors/errors.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { type ChangeFeed, clockMs, type FeedEvent, FeedState } from './change-feed.ts'
import type { DatabaseClient } from './client.ts'
import { type LogPosition, PositionTracker } from './log-position.ts'
import type { ServerWatch } from './server-watch.ts'
import type { Session } from './session.ts'

/* The connection of the change feed. */

interface FollowOptions {
  /** Creates a client that is not yet connected. */
  createClient: () => SqlSession & Pick<DatabaseClient, 'session'>
  /** A statement that is sent at intervals: `SERVER_HEARTBEAT`, or one that returns no row. */
  heartbeat: SqlText
  /** A statement whose answer comes after the notifications of all changes that were visible when it was sent. */
  echo: SqlText
  /** Whether to keep `position` up to date, for replicas. */
  tracksPosition: boolean
  /** Is told whether the primary answers. */
  watch?: ServerWatch | undefined
  /** Called with each event after it was applied, for other processes that follow the same connection. */
  relay?: ((event: FeedEvent) => void) | undefined
}

/** After a heartbeat, the feed counts as complete for this long. If the network fails, caches return no old value after it. */
const HEARTBEAT_VALID_MS = 900
const HEARTBEAT_INTERVAL_MS = 250
/** After this number of heartbeats (5 seconds), the feed checks that new connections still reach its server. */
const HEARTBEATS_PER_CHECK = 20
const RECONNECT_MS = 200
/** Without an answer for this long, the feed is no longer complete: the next heartbeat waits for the same answer. */
const ECHO_TIMEOUT_MS = HEARTBEAT_VALID_MS + 100

/**
 * The echo of a server, a notification to this connection. PostgreSQL orders notifications by commit, and each transaction that others
 * can see has its own in this order. An answer without one can come earlier: a transaction is visible before it wakes its listeners, on
 * a replica much earlier.
 */
export const SERVER_ECHO = sql`SELECT pg_notify('catalog', 'echo')`

/** Starts to listen for changes. It connects again whenever the connection is lost. */
export function followChanges({
  createClient,
  heartbeat,
  echo,
  tracksPosition,
  relay,
  watch,
}: FollowOptions): ChangeFeed {
  const state = new FeedState()
  let isClosing = false
  /** Ends the current connection. */
  let disconnect = () => {}
  /** Waits for the echo on the current connection. Without one, everything becomes invalid at the next. */
  let hear = async () => {}

  /** Connects again if a new connection reaches another server. */
  const checkAddress = async ({ server }: Session) => {
    const client = createClient()
    const end = disconnect
    try {
      await client.connect()
      if (client.session && client.session.server !== server) end()
    } finally {
      void client.end()
    }
  }

  const listen = async () => {
    const client = createClient()
    const disconnected = Promise.withResolvers<void>()
    let isCurrent = true
    disconnect = disconnected.resolve
    client.on('error', disconnect)
    client.on('end', disconnect)
    const apply = (event: FeedEvent) => {
      if (!isCurrent) return
      state.apply(event)
      relay?.(event)
    }
    const onPosition = ({ mark, offset }: LogPosition) => apply({ kind: 'position', mark, offset: String(offset) })
    const tracker = tracksPosition ? new PositionTracker(client, onPosition) : undefined
    client.on('notification', ({ payload = '' }) => {
      if (payload === 'echo') return
      apply({ kind: 'changed', payload })
      tracker?.update()
    })
    const ask = async () => (await client.query<Session>(heartbeat)).rows[0]
    const hearEcho = async () => {
      const timer = new AbortController()
      const timeout = sleep(ECHO_TIMEOUT_MS, undefined, { signal: timer.signal })
      await Promise.race([client.query(echo), timeout]).catch(() => {
        apply({ kind: 'disconnected' })
        disconnected.resolve()
      })
      timer.abort()
    }
    const receive = async () => {
      await client.connect()
      const first = await ask()
      await client.query(sql`LISTEN catalog`)
      apply({ kind: 'connected' })
      tracker?.update()
      hear = hearEcho
      for (let beat = 1; isCurrent; beat += 1) {
        const untilMs = clockMs() + HEARTBEAT_VALID_MS
        const untilDateMs = Date.now() + HEARTBEAT_VALID_MS
        // PostgreSQL sends all pending notifications before the answer. So does the embedded database (src/embedded/wire.ts).
        const answer = await ask()
        if (answer?.server !== first?.server || answer?.process !== first?.process) return
        apply({ kind: 'complete', untilMs, untilDateMs })
        watch?.found()
        // Without an answer nothing is known, and the next check may get one.
        if (first && beat % HEARTBEATS_PER_CHECK === 0) void checkAddress(first).catch(() => {})
        await sleep(HEARTBEAT_INTERVAL_MS)
      }
    }
    try {
      // One race for each connection. With a race for each heartbeat, `disconnected` would keep the memory of every race until
      // it resolves.
      await Promise.race([disconnected.promise, receive()])
    } finally {
      apply({ kind: 'disconnected' })
      isCurrent = false
      hear = async () => {}
      // Not awaited, because a server that does not answer would delay the next connection.
      void client.end()
    }
  }

  const following = (async () => {
    while (!isClosing) {
      const reason = await listen().then(() => 'it ended the connection', messageOf)
      if (isClosing) break
      watch?.missed(reason)
      await sleep(RECONNECT_MS)
    }
  })()

  // One echo at a time. The next one is for all who have asked before it is sent.
  let heard = Promise.resolve()
  let next: Promise<void> | undefined
  const announced = async () => {
    if (state.latest() === undefined) return
    next ??= heard.then(() => {
      next = undefined
      heard = hear()
      return heard
    })
    await next
  }
  const close = async () => {
    isClosing = true
    disconnect()
    await following
  }
  return state.feed({ announced, close })
}
