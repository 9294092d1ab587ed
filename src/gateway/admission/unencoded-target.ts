import { isUtf8 } from 'node:buffer'
import { type CatalogError, validationFailed } from '../../errors/errors.ts'

/** An error of Node's HTTP parser, with the bytes that it failed on. */
export interface ClientError {
  code?: string | undefined
  rawPacket?: unknown
  /** The place in these bytes. */
  bytesParsed?: number
}

/**
 * `VALIDATION_FAILED` for a request target with spaces or with characters outside ASCII (RFC 9112 section 3.2), as people write it by hand.
 * It has the target as it should be, if the bytes are UTF-8 and contain all of its line. Undefined for another error.
 */
export function unencodedTarget({ code, rawPacket, bytesParsed = 0 }: ClientError): CatalogError | undefined {
  if (code !== 'HPE_INVALID_URL' && code !== 'HPE_INVALID_CONSTANT') return undefined
  const target = Buffer.isBuffer(rawPacket) ? targetAt(rawPacket, bytesParsed) : undefined
  if (target !== undefined) return invalidUrl(`must be percent-encoded: ${percentEncode(target)}`)
  return code === 'HPE_INVALID_URL' ? invalidUrl('must begin with / and be percent-encoded') : undefined
}

/** Other requests and headers, which may hold keys, are not read. */
function targetAt(bytes: Buffer, place: number): string | undefined {
  const start = bytes.lastIndexOf('\n', place) + 1
  const line = bytes.subarray(start, bytes.indexOf('\n', start) + 1)
  return isUtf8(line) ? /^[A-Z-]+ (\/[^\r\n]*) HTTP\/1\.[01]\r?\n$/.exec(line.toString())?.[1] : undefined
}

/** Encodes what a URL must not have (RFC 3986 section 2). Characters that are encoded stay as they are. */
function percentEncode(target: string): string {
  return target.replace(/[^!-~]|["<>\\^`{|}]|%(?![\da-f]{2})/giu, encodeURIComponent)
}

function invalidUrl(message: string): CatalogError {
  return validationFailed([{ field: 'URL', message }])
}
