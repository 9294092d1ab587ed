import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { NDJSON } from '../catalog/export-formats.ts'
import type { Dataset } from '../catalog/models.ts'
import { type FeedPosition, writeCursor } from '../changes/cursor.ts'
import { type ChangePage, type PageQuery, readPage } from '../changes/page.ts'
import type { WaitingRequests } from '../changes/waiting.ts'
import { CatalogError } from '../errors/errors.ts'
import type { Caller } from '../gateway/admission/admission.ts'
import { type Asked, addDoor, type Services } from '../gateway/answer.ts'
import { pathParameters } from '../gateway/http.ts'
import { appendVary, preferredWait } from '../gateway/negotiation.ts'
import { parseQueryString, queryStringOf } from '../gateway/query-string.ts'
import { ResponseBody } from '../gateway/reply.ts'
import { wholeNumber } from './rest/parameters.ts'

/* The changes of a dataset, for copies of it (docs/changes.md). */

export const CHANGES_PATH = '/changes/:datasetId'

/** The greatest number of items on a page, and that of a page by default. */
const MAX_LIMIT = 10_000
const DEFAULT_LIMIT = 1_000

export const changesQuery = z.strictObject({
  since: z.string().optional(),
  limit: wholeNumber
    .pipe(z.number().min(1, 'must be at least 1').max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`))
    .default(DEFAULT_LIMIT),
})

const FORM = { mediaType: NDJSON.contentType }

/** Adds GET /changes/{datasetId}. */
export function addChangesRoute(app: FastifyInstance, services: Services, waiting: WaitingRequests): void {
  // Fastify waits for the requests in flight before it closes.
  app.addHook('preClose', async () => waiting.close())
  addDoor(app, services, {
    path: CHANGES_PATH,
    forms: [FORM],
    choose: () => FORM,
    ask: ({ request }) => ({
      ...(preferredWait(request.headers.prefer) === undefined && { cacheKey: `changes ${request.url}` }),
      parse: () => parseQueryString(changesQuery, queryStringOf(request.url)),
    }),
    read: async (query, asked) => {
      appendVary(asked.reply, 'Prefer')
      const found = await readNews(query, asked, waiting)
      return { result: { page: found.result, limit: query.limit }, readLog: found.readLog }
    },
    render: ({ page, limit }) => {
      const address = changesAddress(app.basePath, page.dataset, page.next)
      const links = `<${address}${limit === DEFAULT_LIMIT ? '' : `&limit=${limit}`}>; rel="next"`
      return new ResponseBody(page.body, NDJSON.contentType, { links })
    },
  })
}

/** The address of the changes of a dataset after a position. */
export function changesAddress(basePath: string, dataset: Dataset, position: FeedPosition): string {
  return `${basePath}/changes/${dataset.id}?since=${writeCursor(dataset, position)}`
}

/** Reads a page. If the client prefers to wait, and nothing is new, it is read again after the next change. */
async function readNews(query: PageQuery, asked: Asked<unknown>, waiting: WaitingRequests) {
  const { request, reply, caller } = asked
  const wait = preferredWait(request.headers.prefer)
  const since = waiting.latest
  const found = await readCurrent(query, asked, waiting)
  if (wait === undefined || query.since === undefined) return found
  void reply.header('preference-applied', `wait=${wait}`)
  if (found.result.hasNews || since === undefined) return found
  await waiting.wait({
    keyId: caller.key.id,
    topics: [`dataset ${found.result.dataset.id}`, `key ${caller.key.id}`],
    since,
    timeMs: Math.min(1_000 * wait, accessEndsInMs(caller)),
    signal: signalOf(reply),
  })
  return readCurrent(query, asked, waiting)
}

/**
 * Reads a page. A replica, or this process, may not know the state of a cursor yet; then it is read again.
 * @throws `CURSOR_EXPIRED`, with the address where the client begins again in the reply
 */
async function readCurrent(query: PageQuery, { request, reply, caller }: Asked<unknown>, waiting: WaitingRequests) {
  const { datasetId = '' } = pathParameters(request)
  const read = () => caller.readCatalog<ChangePage>((catalog) => readPage(catalog, datasetId, query))
  try {
    return await read()
  } catch (error) {
    if (!isExpired(error)) throw error
  }
  await waiting.announced()
  try {
    return await read()
  } catch (error) {
    const address = `${request.server.basePath}/changes/${encodeURIComponent(datasetId)}`
    if (isExpired(error)) void reply.header('link', `<${address}>; rel="first"`)
    throw error
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof CatalogError && error.code === 'CURSOR_EXPIRED'
}

/** Milliseconds until the key or one of its grants expires. */
function accessEndsInMs({ key: { expiresAt, grants }, now }: Caller): number {
  const ends = [expiresAt, ...grants.map((grant) => grant.expiresAt)].map((end) => end?.getTime() ?? Infinity)
  return Math.max(0, Math.min(...ends.filter((end) => end > now.getTime())) - now.getTime())
}

/** A signal that is aborted when the client disconnects. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  raw.once('close', () => controller.abort())
  return controller.signal
}
