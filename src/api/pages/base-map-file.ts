import { closeSync, createReadStream, fstatSync, openSync, read } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addRoute } from '../../gateway/http.ts'
import { sendIfUnchanged } from '../../gateway/reply.ts'
import { assetPolicy } from './policy.ts'

/*
 * A PMTiles file as the base map. A browser reads the parts of it that it needs, with range requests (RFC 9110 section 14). As the
 * other files of the pages, it needs no key.
 */

export const BASE_MAP_PATH = '/base-map.pmtiles'

interface Range {
  start: number
  /** The last byte of the range. */
  end: number
}

/**
 * Reads, and never closes. The stream of a client that disconnects would close the file of all clients, even with `autoClose: false`. The
 * number of the file is then free for the next file or connection that opens, and a client would read that.
 */
const READS_ONLY = { read, close: (_fd: number, done: () => void) => done() }

/** Adds the route of the file. It stays open, so a file that replaces it is served after a restart. */
export function addBaseMapFileRoute(app: FastifyInstance, path: string): void {
  const fd = openSync(path, 'r')
  app.addHook('onClose', async () => closeSync(fd))
  const { size, mtimeMs } = fstatSync(fd)
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`
  addRoute(app, {
    path: BASE_MAP_PATH,
    handler: (request, reply) => {
      void reply.header('cache-control', 'public, no-cache')
      if (sendIfUnchanged(request, reply, { etag, coding: undefined })) return
      const range = parseRange(rangeOf(request, etag), size)
      void reply.headers({
        etag,
        'accept-ranges': 'bytes',
        'content-security-policy': assetPolicy(),
        'content-type': 'application/vnd.pmtiles',
      })
      if (range === 'unsatisfiable') return sendUnsatisfiable(reply, size)
      const { start, end } = range ?? { start: 0, end: size - 1 }
      void reply.header('content-length', end - start + 1)
      if (range) void reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
      void reply.send(request.method === 'HEAD' ? undefined : createReadStream('', { fd, start, end, fs: READS_ONLY }))
    },
  })
}

/**
 * The `Range` header, unless it does not count: only that of GET does (RFC 9110 section 14.2), and with `If-Range` only if the client
 * has parts of this file (section 13.1.5).
 */
function rangeOf({ method, headers }: FastifyRequest, etag: string): string | undefined {
  const { range, 'if-range': ifRange = etag } = headers
  return method === 'GET' && ifRange === etag ? range : undefined
}

function sendUnsatisfiable(reply: FastifyReply, size: number): void {
  void reply.code(416).header('content-range', `bytes */${size}`).send()
}

/** Parses a header with one range; undefined, which means the whole file, for no range, several ranges and other units. */
function parseRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}
