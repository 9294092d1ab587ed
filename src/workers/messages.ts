import type { Allowance } from '../auth/rate-limit.ts'
import type { FeedEvent } from '../database/change-feed.ts'
import type { SlotKind } from '../gateway/admission/fair-share.ts'
import type { Readiness } from '../gateway/readiness.ts'
import type { MetricValues } from '../gateway/telemetry/metrics.ts'

/* The messages between the primary process and its workers. They are JSON. */

/** From the primary to a worker. */
export type ToWorker =
  /** The first message. `index` is the worker's number, from 0. `feed` brings its change feed up to date. */
  | {
      type: 'start'
      index: number
      readiness: Readiness['state']
      embeddedUrl: string | undefined
      feed: readonly FeedEvent[]
    }
  | { type: 'readiness'; readiness: Readiness['state'] }
  | { type: 'feed'; event: FeedEvent }
  /** Its socket comes with the message. */
  | { type: 'connection'; id: number }
  | { type: 'answers'; answers: readonly { id: number; answer: Answer }[] }
  | { type: 'readMetrics' }
  /** Complete the requests in flight, and exit. */
  | { type: 'stop' }

/** From a worker to the primary. */
export type ToPrimary =
  /** The worker can take connections. */
  | { type: 'ready' }
  /** The worker has the connection, so the primary closes its own copy of the socket. */
  | { type: 'accepted'; id: number }
  | { type: 'closed'; id: number }
  /** The questions of one turn of the worker's event loop. */
  | { type: 'questions'; questions: readonly { id: number; question: Question }[] }
  | { type: 'releaseSlot'; kind: SlotKind; keyId: string }
  | { type: 'metrics'; values: MetricValues }

/** A worker's question about something that all workers count or store together. */
export type Question =
  | { ask: 'countRequest'; keyId: string; requestsPerMinute: number }
  | { ask: 'countItems'; keyId: string; itemsPerMinute: number; items: number }
  | { ask: 'countRefusal'; network: string }
  | { ask: 'takeSlot'; kind: SlotKind; keyId: string }
  | { ask: 'findDocument'; hash: string }
  | { ask: 'registerDocument'; hash: string; query: string }
  /** The worker has then received the changes, too. */
  | { ask: 'announced' }

/** The answer to a question. It has the member for that question. */
export interface Answer {
  allowance?: Allowance
  isTaken?: boolean
  query?: string | undefined
}

export function isToWorker(message: unknown): message is ToWorker {
  return hasType(message)
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return hasType(message)
}

function hasType(message: unknown): boolean {
  return message instanceof Object && 'type' in message
}
