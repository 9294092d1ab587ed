import type { Catalog } from '../catalog/catalog.ts'
import type { Dataset } from '../catalog/models.ts'
import { PUT_LINES } from '../catalog/sql/change-log.ts'
import { CatalogError, validationFailed } from '../errors/errors.ts'
import { after, type FeedPosition, isBefore, parseCursor, writeCursor } from './cursor.ts'

/* A page of a dataset's changes (docs/changes.md). */

/** Which page a client asks for. */
export interface PageQuery {
  since?: string | undefined
  /** The maximum number of items. */
  limit: number
}

/** A page, which shows one state of the dataset. */
export interface ChangePage {
  dataset: Dataset
  /** Lines of JSON. */
  body: string
  /** Where the next page begins. */
  next: FeedPosition
}

interface Content {
  lines: string
  /** Whether the dataset itself, or its labels, are new to the client. */
  isDescribed: boolean
  next: FeedPosition
  isComplete: boolean
}

/**
 * Reads a page: everything that is there, or what has changed since a cursor.
 * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`; `VALIDATION_FAILED` for a text that is no cursor of the dataset; `CURSOR_EXPIRED` if the
 * log does not have all changes since the cursor
 */
export async function readPage(catalog: Catalog, idOrSlug: string, query: PageQuery): Promise<ChangePage> {
  const dataset = catalog.dataset(idOrSlug)
  const { lines, isDescribed, next, isComplete } = await readContent(catalog, dataset, query)
  const description = isDescribed ? JSON.stringify({ dataset: await describe(catalog, dataset) }) : ''
  const end = JSON.stringify({ cursor: writeCursor(dataset, next), complete: isComplete })
  const body = `${[description, lines, end].filter((part) => part !== '').join('\n')}\n`
  return { dataset, body, next }
}

async function readContent(catalog: Catalog, dataset: Dataset, { since, limit }: PageQuery): Promise<Content> {
  if (since === undefined)
    return {
      ...(await readItems(catalog, dataset, { since: dataset.revision, afterId: null }, limit)),
      isDescribed: true,
    }
  const { datasetId, epoch, position } = parseCursor(since)
  if (datasetId !== dataset.id && catalog.exists(datasetId))
    throw validationFailed([{ field: 'since', message: 'must be a cursor of this dataset' }])
  if (datasetId !== dataset.id || epoch !== dataset.epoch) throw cursorExpired()
  if (position.kind === 'items') return readItems(catalog, dataset, position, limit)

  const log = await catalog.changesOf(dataset, position, limit)
  // A position after the last change is of a state that was replaced by a backup.
  if (!log || position.revision > dataset.revision) throw cursorExpired()
  const isDescribed = log.describedAt > position.revision
  if (isBefore(position, log.horizon)) {
    // The client has the dataset without items. The log has what was removed since the first ones came.
    if (log.emptyFrom === null || position.revision < log.emptyFrom) throw cursorExpired()
    return { ...(await readItems(catalog, dataset, { since: log.horizon, afterId: null }, limit)), isDescribed }
  }
  const { lines, lastRevision, lastId, isLast } = log
  const next: FeedPosition =
    isLast || lastRevision === null || lastId === null
      ? after(dataset.revision)
      : { kind: 'changes', revision: lastRevision, itemId: lastId }
  return { lines, isDescribed, next, isComplete: isLast }
}

/** The next items of everything that is there. What changes meanwhile comes after them. */
async function readItems(
  catalog: Catalog,
  dataset: Dataset,
  { since, afterId }: { since: bigint; afterId: string | null },
  limit: number,
): Promise<Content> {
  const window = { after: afterId, limit }
  const { lines, lastId, isLast } = await catalog.exportBatch(dataset, { format: PUT_LINES }, window)
  const isEnd = isLast || lastId === null
  const next: FeedPosition = isEnd ? after(since) : { kind: 'items', since, afterId: lastId }
  return { lines, isDescribed: false, next, isComplete: isEnd && since === dataset.revision }
}

/** The members of a dataset in the list and alone (section 2 of the specification), and its labels. */
async function describe(catalog: Catalog, dataset: Dataset): Promise<object> {
  const { id, slug, name, description, status, visibility, accessTier, attribution, createdAt, updatedAt } = dataset
  const labels = await catalog.labelsOf(dataset)
  return { id, slug, name, description, status, visibility, accessTier, attribution, createdAt, updatedAt, labels }
}

function cursorExpired(): CatalogError {
  const message =
    'The changes since this cursor are not known any more; begin again without since, and replace the copy by what begins there'
  return new CatalogError('CURSOR_EXPIRED', message)
}
