import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { messageOf } from '../errors/errors.ts'
import type { SqlText } from '../sql.ts'
import { evaluateIn } from './interrupt.ts'

/** What postgres-worker.ts gets at its start: the folder (or `memory://`), and SQL that it runs first. */
export const postgresData = z.object({ dataDir: z.string(), settings: z.string() })

/** A request to postgres-worker.ts: a batch of protocol messages, an SQL statement, or `close`. */
export const postgresRequest = z.union([z.instanceof(Uint8Array), z.string()])
export type PostgresRequest = z.output<typeof postgresRequest>

/** A response of postgres-worker.ts. Under `node --watch` a worker also sends the names of the files that it loads. */
const postgresResponse = z.union([
  z.literal('ready'),
  z.instanceof(Uint8Array),
  z.object({ rows: z.unknown() }),
  z.object({ error: z.string() }),
])

/** One session of PostgreSQL. Its requests must not overlap. */
export interface Postgres {
  /** Sends a batch of protocol messages, and returns the response. */
  execute: (batch: Uint8Array) => Promise<Uint8Array>
  /** Runs an SQL statement, and returns its rows. */
  query: (text: SqlText) => Promise<unknown>
  /** Cancels the request that runs, which then ends with PostgreSQL's error for that. */
  cancel: () => void
}

/** The name of the global function of postgres-worker.ts that cancels its nth request, if it runs. */
export const CANCEL_FUNCTION = 'cancelRequest'

/** PostgreSQL that does not end a cancelled request within this time is stopped. No committed data in a folder is lost. */
const CANCEL_TIMEOUT_MS = 5_000

/** A cancellation that had no effect is repeated after this time. */
const CANCEL_AGAIN_MS = 20

/** PostgreSQL in a thread of its own. */
export interface PostgresThread extends Postgres {
  /** Resolves with the reason when the thread ends. */
  ended: Promise<string>
  close: () => Promise<void>
}

/** The error of a request to a thread that has ended. */
export class PostgresEnded extends Error {}

/** Starts PostgreSQL in a thread. @throws Error with the reason if it does not start */
export async function startPostgres(data: z.input<typeof postgresData>): Promise<PostgresThread> {
  // The worker gets none of Node's options, because a worker refuses some of them.
  const worker = new Worker(new URL('./postgres-worker.ts', import.meta.url), { workerData: data, execArgv: [] })
  const ended = endOf(worker)
  let pending = Promise.withResolvers<unknown>()
  let hasEnded = false
  let requests = 0
  /** Runs while a request is cancelled. */
  let timer: NodeJS.Timeout | undefined
  worker.on('message', (message: unknown) => {
    const { data } = postgresResponse.safeParse(message)
    if (data === undefined) return
    clearTimeout(timer)
    timer = undefined
    if (typeof data === 'object' && 'error' in data) pending.reject(new Error(data.error))
    else pending.resolve(typeof data === 'object' && 'rows' in data ? data.rows : data)
  })
  void ended.then((reason) => {
    hasEnded = true
    clearTimeout(timer)
    timer = undefined
    pending.reject(new PostgresEnded(reason))
  })
  await pending.promise

  const send = (request: PostgresRequest) => {
    if (hasEnded) throw new PostgresEnded('PostgreSQL has ended')
    pending = Promise.withResolvers()
    requests += 1
    worker.postMessage(request)
    return pending.promise
  }
  /** Cancels the nth request again and again until it ends, because a cancellation that arrives before its request has no effect. */
  const cancelRequest = async (n: number) => {
    timer = setTimeout(() => void worker.terminate(), CANCEL_TIMEOUT_MS)
    while (timer && n === requests) {
      await evaluateIn(worker.threadId, `${CANCEL_FUNCTION}(${n})`)
      await sleep(CANCEL_AGAIN_MS)
    }
  }
  return {
    ended,
    // A batch can be a part of a larger buffer, which need not be copied.
    execute: async (batch) => z.instanceof(Uint8Array).parse(await send(Uint8Array.from(batch))),
    query: async (text) => send(text),
    cancel: () => {
      if (!timer) void cancelRequest(requests)
    },
    close: async () => {
      worker.postMessage('close')
      await ended
    },
  }
}

/** Waits until a worker ends, and returns the reason. */
export function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    let reason: string | undefined
    worker.once('error', (error) => {
      reason = messageOf(error)
    })
    worker.once('exit', (code) => resolve(reason ?? `exit code ${code}`))
  })
}
