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
 * Sends the worst request of a door many times at once. It has a thread of its own, so that reading its responses does not delay the
 * thread that measures.
 */
export function sendBurst(burst: Burst): Promise<BurstEnd> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: burst })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

if (parentPort) parentPort.postMessage(await send(workerData))

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
