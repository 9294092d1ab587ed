import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { CURRENT_POSITION, readPosition, type WalPosition } from './replica.ts'

/*
 * Every transaction that writes says what it changed on the channel `catalog` (prisma/migrations), whoever made it. This
 * listens, so that what is kept in memory can be told to be true or not. It relies on PostgreSQL's order: a notification is
 * sent once the commit can be seen, so what was read before the notification came may be old, and what is read after is new.
 */

/** What a change is of: `dataset UUID`, `key UUID`, or `datasets` for any of them. */
export type Topic = `dataset ${string}` | `key ${string}` | 'datasets'

/** A moment between two changes. */
export type SequenceNumber = number

/** What this process has heard of changes in the database. */
export interface ChangeFeed {
  /** The present; undefined while changes might pass unheard. */
  now: () => SequenceNumber | undefined
  /** Whether nothing of these topics has changed since, for all that could be known. */
  isUnchanged: (topics: readonly Topic[], since: SequenceNumber) => boolean
  /** A position in the log of the database behind all that was heard of until now; undefined while that is not known. */
  position: () => WalPosition | undefined
  close: () => Promise<void>
}

/** For those who keep nothing. */
export const silentChangeFeed: ChangeFeed = {
  now: () => undefined,
  isUnchanged: () => false,
  position: () => undefined,
  close: async () => {},
}

interface FollowOptions {
  /** Makes a connection, not yet connected. */
  createClient: () => pg.Client
  /** Whether the connection may die without a word, as one over a network may. */
  mayDieSilently: boolean
  /** Whether positions are wanted. */
  tracksPosition: boolean
}

/** An answer to a heartbeat is good for so long: what is kept is never older, though the network swallow everything. */
const LEASE_MS = 900
const HEARTBEAT_MS = 250
const RECONNECT_MS = 200
const GIVE_UP_MS = 5_000
/** More topics than this are forgotten, and with them all that was kept. */
const TOPICS_LIMIT = 100_000

/** Listens to the database from now on, and comes back to it whenever the connection is lost. */
export function followChanges({ createClient, mayDieSilently, tracksPosition }: FollowOptions): ChangeFeed {
  const journal = new Journal()
  let position: HeardPosition | undefined
  const closing = new AbortController()
  let heardUntil = Number.NEGATIVE_INFINITY

  const listen = async () => {
    const client = createClient()
    const heard = tracksPosition ? new HeardPosition(client) : undefined
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    client.on('notification', ({ payload }) => {
      journal.note(payload ?? '')
      heard?.renew()
    })
    try {
      await client.connect()
      await client.query('LISTEN catalog')
      // What has happened until now was not heard.
      journal.forget()
      position = heard
      heard?.renew()
      if (mayDieSilently) await beat(client, lost)
      else {
        heardUntil = Number.POSITIVE_INFINITY
        await lost
      }
    } finally {
      heardUntil = Number.NEGATIVE_INFINITY
      client.end().catch(() => {})
    }
  }

  /** Asks again and again whether the database is there; before it answers it sends what there is to be heard. */
  const beat = async (client: pg.Client, lost: Promise<void>) => {
    const isLost = lost.then(() => true)
    for (;;) {
      const askedAt = performance.now()
      const answer = client.query('SELECT 1').then(() => false)
      if (await Promise.race([answer, isLost, sleep(GIVE_UP_MS, true, { ref: false })])) return
      heardUntil = askedAt + LEASE_MS
      if (await Promise.race([isLost, sleep(HEARTBEAT_MS, false, { ref: false })])) return
    }
  }

  const following = (async () => {
    while (!closing.signal.aborted) {
      // Away: nothing is kept meanwhile, and requests tell by themselves.
      await listen().catch(() => {})
      if (!closing.signal.aborted) await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  })()

  const isHearing = () => performance.now() < heardUntil
  return {
    now: () => (isHearing() ? journal.now : undefined),
    isUnchanged: (topics, since) => isHearing() && journal.isUnchanged(topics, since),
    position: () => (isHearing() ? position?.known : undefined),
    close: async () => {
      closing.abort()
      await following
    },
  }
}

/** Where the log of the database ended after the last that one connection has heard. */
class HeardPosition {
  known: WalPosition | undefined
  readonly #client: pg.Client
  #hearings = 0
  #isAsking = false

  constructor(client: pg.Client) {
    this.#client = client
  }

  /** Asks anew, as something was heard. */
  renew(): void {
    this.known = undefined
    this.#hearings += 1
    // If the connection is lost, nothing is heard, and the next one asks.
    if (!this.#isAsking) this.#ask().catch(() => {})
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    while (this.known === undefined) {
      const hearings = this.#hearings
      const position = await readPosition(this.#client, CURRENT_POSITION)
      // What was heard meanwhile may lie behind the answer.
      if (hearings === this.#hearings) this.known = position
    }
    this.#isAsking = false
  }
}

/** When each topic last changed, counted in changes. */
class Journal {
  now: SequenceNumber = 0
  #forgottenAt: SequenceNumber = 0
  readonly #changedAt = new Map<string, SequenceNumber>()

  note(payload: string): void {
    if (payload === 'everything' || this.#changedAt.size >= TOPICS_LIMIT) this.forget()
    this.now += 1
    this.#changedAt.set(payload, this.now)
    if (payload.startsWith('dataset ')) this.#changedAt.set('datasets', this.now)
  }

  /** From here on all may have changed. */
  forget(): void {
    this.now += 1
    this.#forgottenAt = this.now
    this.#changedAt.clear()
  }

  isUnchanged(topics: readonly Topic[], since: SequenceNumber): boolean {
    if (since < this.#forgottenAt) return false
    for (const topic of topics) {
      const changedAt = this.#changedAt.get(topic)
      if (changedAt !== undefined && changedAt > since) return false
    }
    return true
  }
}
