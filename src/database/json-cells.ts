import { isAscii } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { type BackendMessage, DataRowMessage, type RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'

/*
 * The JSON of items stays bytes from PostgreSQL to the socket where it is not ASCII. pg decodes each cell to a string, which is then
 * encoded again: a third of the processor time of a page of Korean items (decision 11). Text in ASCII is cheaper as a string.
 */

/** The name of the column with the JSON. */
const JSON_COLUMN = 'json'
/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const DATA_ROW = 'D'.charCodeAt(0)

/** A method of pg's parser that its types call private. */
type HandlePacket = (offset: number, code: number, length: number, bytes: Buffer) => BackendMessage

/**
 * From now on, a connection that is not open yet gives the cells of the column `json` as bytes if they are not ASCII. It does what pg's
 * `attachListeners` does, with a parser that keeps these bytes. The parsers of pg's types make a string of them, if nothing else is asked for.
 */
export function keepJsonBytes(connection: pg.Connection): void {
  const attachListeners = (stream: Duplex) => {
    const parser = createParser()
    stream.on('data', (bytes: Buffer) =>
      parser.parse(bytes, (message) =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message),
      ),
    )
  }
  Reflect.set(connection, 'attachListeners', attachListeners)
}

function createParser(): Parser {
  const parser = new Parser()
  /** The place of the column in the rows of the current statement; -1 if it has none. */
  let column = -1
  const handlePacket: HandlePacket = Reflect.get(parser, 'handlePacket').bind(parser)
  const handleOrKeep: HandlePacket = (offset, code, length, bytes) => {
    if (code === DATA_ROW) return new DataRowMessage(length, readCells(bytes, offset, column))
    const message = handlePacket(offset, code, length, bytes)
    if (isRowDescription(message)) column = message.fields.findIndex(({ name }) => name === JSON_COLUMN)
    return message
  }
  Reflect.set(parser, 'handlePacket', handleOrKeep)
  return parser
}

function readCells(bytes: Buffer, offset: number, column: number): (string | Buffer | null)[] {
  const cells = new Array<string | Buffer | null>(bytes.readInt16BE(offset))
  let end = offset + 2
  for (let n = 0; n < cells.length; n += 1) {
    const start = end + 4
    const length = bytes.readInt32BE(end)
    end = start + Math.max(0, length)
    if (length === -1) cells[n] = null
    else cells[n] = n === column ? readJson(bytes.subarray(start, end)) : bytes.toString('utf8', start, end)
  }
  return cells
}

/** A copy of the bytes, because they are in the buffer of the connection. */
function readJson(bytes: Buffer): string | Buffer {
  return isAscii(bytes) ? bytes.toString('latin1') : Buffer.from(bytes)
}

function isRowDescription(message: BackendMessage): message is RowDescriptionMessage {
  return message.name === 'rowDescription'
}
