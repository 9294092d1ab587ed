import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '../catalog/catalog.ts'
import { EXPORT_FORMATS, type ExportFormat, type ExportPart } from '../catalog/export-formats.ts'
import { type FilterValues, pickFilters } from '../catalog/filters.ts'
import type { Dataset } from '../catalog/models.ts'
import type { ReadCatalog } from '../catalog/snapshot-reader.ts'
import { type ExportContent, type ExportWindow, exportTag, FIRST_WINDOW, writeExport } from '../catalog/sql/export.ts'
import { after } from '../changes/cursor.ts'
import { refused } from '../errors/errors.ts'
import type { Slots } from '../gateway/admission/fair-share.ts'
import { type Asked, addDoor, type Services } from '../gateway/answer.ts'
import { toCatalogError } from '../gateway/error-reply.ts'
import { pathParameters } from '../gateway/http.ts'
import { appendVary, type Coding, chooseContentCoding, VARY } from '../gateway/negotiation.ts'
import { parseQueryString, queryStringOf } from '../gateway/query-string.ts'
import { createEncoder, entityTag, sendIfUnchanged } from '../gateway/reply.ts'
import { changesAddress } from './changes.ts'
import { exportPath, exportQuery } from './files.ts'

/* Whole datasets as files (docs/exports.md). */

/** A dataset in one format and content coding. */
interface Representation {
  dataset: Dataset
  basePath: string
  selection: ExportSelection
  coding: Coding | undefined
}

/** What the client asks for. */
interface ExportSelection {
  format: ExportFormat
  filters: FilterValues
  isFlat: boolean
}

/** Adds GET /exports/{datasetId}.{format} for each format. The slots count the exports that run at the same time. */
export function addExportRoutes(app: FastifyInstance, services: Services, slots: Slots): void {
  app.pathHints.set('/exports/', `Exports end with one of ${EXPORT_FORMATS.map(({ name }) => `.${name}`).join(', ')}`)
  for (const format of EXPORT_FORMATS) {
    const form = { mediaType: format.contentType }
    addDoor(app, services, {
      path: exportPath(format),
      forms: [form],
      // The ending of the path names the form, whatever `Accept` says.
      choose: () => form,
      ask: ({ request }) => ({ parse: () => parseSelection(format, queryStringOf(request.url)) }),
      read: async (selection, asked) => {
        const result = await openExport(selection, asked, slots)
        return result && { result }
      },
      render: (stream) => stream,
    })
  }
}

/** The file as a stream, after its headers are set; undefined if the response needs no body and is sent. */
async function openExport(
  selection: ExportSelection,
  { request, reply, caller: { key, readCatalog, readForStream } }: Asked<unknown>,
  slots: Slots,
): Promise<Readable | undefined> {
  const { datasetId = '' } = pathParameters(request)
  const { basePath } = request.server
  const { result: dataset } = await readCatalog((catalog) => catalog.dataset(datasetId))
  const isDigest = request.method === 'HEAD' && wantsDigest(request)
  // The digest is that of the coded bytes, and only one of the file itself is useful.
  const coding = isDigest
    ? undefined
    : selection.format.frame && chooseContentCoding(request.headers['accept-encoding'])
  void reply.header('cache-control', 'private, no-cache')
  if (sendIfUnchanged(request, reply, { etag: tagOf(dataset, selection), coding })) return undefined
  if (request.method === 'HEAD' && !isDigest) {
    await readCatalog((catalog) => readContent(catalog, catalog.dataset(datasetId), selection))
    setHeaders(reply, { dataset, basePath, selection, coding })
    void reply.send()
    return undefined
  }
  const endExport = await beginExport(slots, key.id)
  // The dataset may have changed, so it is read again, together with the first items.
  const first = await readFirst(readCatalog, datasetId, selection).catch((error: unknown) => {
    endExport()
    throw error
  })
  const { content } = first
  // By id, because another dataset may get the slug.
  const parts = writeExport(content, first, (window) => readBatch(readForStream, first.dataset.id, content, window))
  if (isDigest) {
    const digest = await digestOf(parts).finally(endExport)
    setHeaders(reply, { dataset: first.dataset, basePath, selection, coding })
    void reply.header('repr-digest', `sha-256=:${digest}:`).send()
    return undefined
  }
  const stream = openStream(parts, (part) => request.use?.send(Buffer.byteLength(part)))
  stream.once('close', endExport).once('error', (error) => cutOff(request, reply, error))
  setHeaders(reply, { dataset: first.dataset, basePath, selection, coding })
  // Without a callback, pipeline would throw the error that `cutOff` gets.
  return coding ? pipeline(stream, createEncoder(coding), () => {}) : stream
}

/** Whether the client prefers SHA-256 to no digest (RFC 9530 section 4). A digest must be known before the body, so only HEAD gets one. */
function wantsDigest({ headers }: FastifyRequest): boolean {
  return /(^|[ ,])sha-256=[1-9]/.test(String(headers['want-repr-digest']))
}

/** The SHA-256 of a file, which is read as for an export, and not sent. */
async function digestOf(parts: AsyncIterable<ExportPart>): Promise<string> {
  const digest = createHash('sha256')
  for await (const part of parts) digest.update(part)
  return digest.digest('base64')
}

/**
 * Parses the query string.
 * @throws `VALIDATION_FAILED`
 */
function parseSelection(format: ExportFormat, queryString: string): ExportSelection {
  const query = parseQueryString(exportQuery(format), queryString)
  return { format, filters: pickFilters(query), isFlat: 'flat' in query && query.flat === true }
}

function tagOf(dataset: Dataset, { format, filters, isFlat }: ExportSelection): string {
  return exportTag(dataset, format.name, JSON.stringify([filters, isFlat]))
}

/** @throws `VALIDATION_FAILED` if it has too many columns, also to HEAD */
async function readContent(
  catalog: Catalog,
  dataset: Dataset,
  { format, filters, isFlat }: ExportSelection,
): Promise<ExportContent> {
  return { format, filters, attributes: isFlat ? await catalog.attributesOf(dataset, filters) : undefined }
}

/** The dataset, the content of the export, and the first batch, in one state. */
async function readFirst(read: ReadCatalog, datasetId: string, selection: ExportSelection) {
  const { result } = await read(async (catalog) => {
    const dataset = catalog.dataset(datasetId)
    const content = await readContent(catalog, dataset, selection)
    return { dataset, content, ...(await catalog.exportBatch(dataset, content, FIRST_WINDOW)) }
  })
  return result
}

async function readBatch(read: ReadCatalog, datasetId: string, content: ExportContent, window: ExportWindow) {
  const { result } = await read((catalog) => catalog.exportBatch(catalog.dataset(datasetId), content, window))
  return result
}

function setHeaders(reply: FastifyReply, { dataset, basePath, selection, coding }: Representation): void {
  appendVary(reply, VARY)
  void reply.headers({
    etag: entityTag({ etag: tagOf(dataset, selection), coding }),
    'content-type': selection.format.contentType,
    // A slug has only characters that need no escape in a quoted string (RFC 6266), and is a valid name of a file.
    'content-disposition': `attachment; filename="${dataset.slug}.${selection.format.name}"`,
    ...(coding && { 'content-encoding': coding }),
    link: `<${changesAddress(basePath, dataset, after(dataset.revision))}>; rel="monitor"`,
  })
}

/**
 * Counts an export of a key that begins.
 * @returns a function for its end
 * @throws `SERVICE_UNAVAILABLE` if too many run, of the key or of all
 */
async function beginExport(slots: Slots, keyId: string): Promise<() => void> {
  if (await slots.take(keyId)) return () => slots.release(keyId)
  throw refused('exports')
}

/**
 * A stream that is read as fast as the client takes it.
 * @param onPart is called with each part that the client takes
 */
function openStream(parts: AsyncIterable<ExportPart>, onPart: (part: ExportPart) => void): Readable {
  const counted = async function* () {
    for await (const part of parts) {
      yield part
      onPart(part)
    }
  }
  return Readable.from(counted())
}

/**
 * Ends a response that failed midway. The connection is reset, because an HTTP/1.0 client, for example nginx as a proxy, would
 * take a normal close for the end of the file.
 */
function cutOff(request: FastifyRequest, reply: FastifyReply, error: Error): void {
  if (reply.raw.destroyed) return
  const { message } = toCatalogError(error, request)
  request.log.warn({ requestId: request.id }, `The export was cut off: ${message}`)
  reply.raw.socket?.resetAndDestroy()
}
