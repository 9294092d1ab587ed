import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { bearer } from './comparisons.ts'
import { DOORS } from './doors.ts'

/** What a thread sends at once. */
interface Burst {
  url: string
  key: string
  door: string
  count: number
}

/** How a burst ended. */
export interface BurstEnd {
  answered: number
  refused: number
  /** Until the last response. */
  slowestMs: number
  /** Statuses that are neither 200 nor 503. */
  strange: number[]
}

/**
 * Prepares to send the worst request of a door many times at once, and returns the function that sends. A thread of its own sends, so that
 * reading the responses does not delay the thread that measures. It is ready before, so that its start takes no time of others.
 */
export async function prepareBurst(burst: Burst): Promise<() => Promise<BurstEnd>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: burst })
  await once(worker, 'message')
  return async () => {
    worker.postMessage('send')
    const [end] = await once(worker, 'message')
    return end
  }
}

parentPort?.once('message', async () => parentPort?.postMessage(await send(workerData)))
parentPort?.postMessage('ready')

async function send({ url, key, door, count }: Burst): Promise<BurstEnd> {
  const requestOf = DOORS[door]
  if (!requestOf) throw new Error(`There is no door ${door}`)
  const startMs = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { method, path, headers, body } = requestOf(n)
      const init = { method, headers: { ...headers, ...bearer(key) }, ...(body !== undefined && { body }) }
      const response = await fetch(`${url}${path}`, init)
      const text = await response.text().catch(() => '')
      return text.includes('SERVICE_UNAVAILABLE') ? 503 : response.status
    }),
  )
  return {
    answered: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((status) => status === 503).length,
    slowestMs: performance.now() - startMs,
    strange: statuses.filter((status) => ![200, 503].includes(status)),
  }
}
