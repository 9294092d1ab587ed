import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { NDJSON } from '../catalog/export-formats.ts'
import type { Dataset } from '../catalog/models.ts'
import { after, type FeedPosition, writeCursor } from '../changes/cursor.ts'
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
    ask: (asked) => {
      const { request, reply } = asked
      appendVary(reply, 'Prefer')
      const parse = () => parseQueryString(changesQuery, queryStringOf(request.url))
      const wait = preferredWait(request.headers.prefer)
      return {
        cacheKey: `changes ${request.url}`,
        parse,
        wait: wait === undefined ? undefined : () => waitForNews(parse(), asked, { seconds: wait, waiting }),
      }
    },
    read: async (query, asked) => {
      const { result: page, readLog } = await readCurrent(query, asked, waiting)
      return { result: { page, limit: query.limit }, readLog }
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

/**
 * Waits for the next change, if the client has the dataset as it is.
 * @returns the function that ends the turn of the request
 * @throws as `readPage`, and `SERVICE_UNAVAILABLE` if too many requests wait
 */
async function waitForNews(
  { since }: PageQuery,
  { request, reply, caller }: Asked<unknown>,
  { seconds, waiting }: { seconds: number; waiting: WaitingRequests },
): Promise<() => void> {
  if (since === undefined) return () => {}
  const { latest } = waiting
  const { datasetId = '' } = pathParameters(request)
  const { result: dataset } = await caller.readCatalog((catalog) => catalog.dataset(datasetId))
  void reply.header('preference-applied', `wait=${seconds}`)
  if (since !== writeCursor(dataset, after(dataset.revision))) return () => {}
  return waiting.wait({
    keyId: caller.key.id,
    topics: [`dataset ${dataset.id}`, `key ${caller.key.id}`],
    since: latest,
    timeMs: Math.min(1_000 * seconds, accessEndsInMs(caller)),
    response: reply.raw,
  })
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
