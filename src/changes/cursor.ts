import type { Dataset } from '../catalog/models.ts'
import type { LogPosition } from '../catalog/sql/change-log.ts'
import { validationFailed } from '../errors/errors.ts'

/*
 * Cursors of a dataset's changes (docs/changes.md). They are opaque to clients: a kind, the dataset and its epoch, and how far the client has
 * read. So they say nothing of other datasets, and hold for each key that may access this one.
 */

/** The client has all items up to an id, and began at a revision. Their changes since then come afterwards. */
export interface ItemsPosition {
  kind: 'items'
  since: bigint
  afterId: string
}

/** The client has all changes up to a position in the log. */
interface ChangesPosition extends LogPosition {
  kind: 'changes'
}

/** How far a client has read. */
export type FeedPosition = ItemsPosition | ChangesPosition

const KINDS = ['items', 'changes'] as const
/** The kind, the dataset, the epoch, the revision and the item. */
const BYTES = 1 + 16 + 16 + 8 + 16
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The position after all changes up to a revision. */
export function after(revision: bigint): FeedPosition {
  return { kind: 'changes', revision, itemId: LAST_ID }
}

/** Whether a position comes before all changes up to a revision. One between the changes of that revision does. */
export function isBefore({ revision, itemId }: LogPosition, horizon: bigint): boolean {
  return revision < horizon || (revision === horizon && itemId !== LAST_ID)
}

/** Returns the cursor of a position. */
export function writeCursor({ id, epoch }: Pick<Dataset, 'id' | 'epoch'>, position: FeedPosition): string {
  const [revision, itemId] =
    position.kind === 'items' ? [position.since, position.afterId] : [position.revision, position.itemId]
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(revision)
  return Buffer.concat([
    Buffer.of(KINDS.indexOf(position.kind)),
    ...[id, epoch].map(bytesOf),
    number,
    bytesOf(itemId),
  ]).toString('base64url')
}

/** What a cursor says. */
interface ParsedCursor {
  datasetId: string
  epoch: string
  position: FeedPosition
}

/** @throws `VALIDATION_FAILED` if it is no cursor */
export function parseCursor(text: string): ParsedCursor {
  const bytes = Buffer.from(text, 'base64url')
  const kind = KINDS[bytes[0] ?? -1]
  if (bytes.length !== BYTES || kind === undefined || bytes.toString('base64url') !== text)
    throw validationFailed([{ field: 'since', message: 'must be a cursor from an earlier page' }])
  const revision = bytes.readBigUInt64BE(33)
  const itemId = uuidOf(bytes.subarray(41))
  const position: FeedPosition =
    kind === 'items' ? { kind, since: revision, afterId: itemId } : { kind, revision, itemId }
  return { datasetId: uuidOf(bytes.subarray(1, 17)), epoch: uuidOf(bytes.subarray(17, 33)), position }
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
