import { DatabaseError } from 'pg'
import { operationFailed } from '../errors/errors.ts'
import { commonColumns, datasetDocument, itemHash, readStoredColumns, type StoredColumns } from '../history/columns.ts'
import {
  type DatasetDocument,
  findLastEntry,
  type KnownDataset,
  PART_LINES,
  type UndoEntry,
} from '../history/entries.ts'
import { type Difference, findDifferences } from '../history/item-changes.ts'
import type { ChangeCounts, Origin } from '../history/record.ts'
import { columnList, type SqlSession, type SqlText, sql } from '../sql.ts'
import { deleteDataset } from './change-dataset.ts'
import { withDatasetLocked } from './dataset-lock.ts'
import { type AllowedChanges, reviewChanges } from './large-change.ts'
import { load, type MergeCounts, type State } from './merge.ts'
import { createStaging, dropStaging, indexStaging, MERGED_COLUMN_NAMES, type Staged } from './staging.ts'

interface UndoOptions extends Origin {
  /** Whether to overwrite changes that others have made since, for example with psql. */
  overwrite: boolean
  /** What it may do to many items; by default everything. */
  allowed?: AllowedChanges
}

const ALL: AllowedChanges = { removals: Number.POSITIVE_INFINITY, moves: Number.POSITIVE_INFINITY }

export interface UndoSummary extends ChangeCounts {
  datasetId: string
  /** The slug after the undo. */
  slug: string
  /** The entry that was undone. */
  undone: string
  /** The entry that holds again, because the undone one had undone it; otherwise null. */
  redone: string | null
  /** The members of the dataset that the entry had changed, with the value of now as `after`. */
  dataset: Record<string, Difference>
  /** The grants that came back with a removed dataset. */
  grants: number
  /** Whether the dataset exists now. */
  exists: boolean
}

/**
 * Puts a dataset back into the state before the newest entry of its history, in one transaction. This is an entry too, so it can be undone.
 * @throws LargeChangeStopped if more items change than are allowed; `OPERATION_FAILED` with the changes that others have made since, unless
 * they may be overwritten, or with another reason
 */
export async function undoLastEntry(
  session: SqlSession,
  { id, slug }: KnownDataset,
  { overwrite, allowed = ALL, command, undoDays }: UndoOptions,
): Promise<UndoSummary> {
  const last = await findUndoableEntry(session, id, slug)
  const use = last.datasetBefore === null ? 'remove' : 'change'
  return withDatasetLocked(session, { id, slug, use }, async () => {
    const entry = await findUndoableEntry(session, id, slug)
    if (entry.id !== last.id) throw operationFailed(`The dataset ${slug} was changed meanwhile; nothing was undone`)
    const { datasetBefore, datasetAfter } = entry
    const staged = { session, datasetId: id, table: await createStaging(session) }
    await stageEntry(staged, entry.id)
    const exists = await checkUnchanged(staged, entry, overwrite)
    const change = { action: 'undo', origin: { command, undoDays }, undoneId: entry.id } as const
    const total = await countItems(staged)
    // Only the items of the entry are staged.
    const review = async ({ updated, removed }: Pick<MergeCounts, 'updated' | 'removed'>) => {
      const all = { updated, removed, unchanged: total - updated - removed }
      await reviewChanges(staged, { by: 'undo', slug }, all, allowed)
      return new Date()
    }
    const removeCreated = async () => {
      await review({ updated: 0, removed: total })
      return { ...(await deleteDataset({ session, datasetId: id, ...change })), grants: 0 }
    }
    const counts = datasetBefore
      ? await restore({ ...staged, exists, change }, datasetBefore, review).catch(explainConflict(slug))
      : await removeCreated()
    await dropStaging(session, staged.table)
    const { updatedAt: _, ...members } = findDifferences(datasetAfter ?? {}, datasetBefore ?? {})
    return {
      datasetId: id,
      slug: datasetBefore?.slug ?? slug,
      undone: entry.id,
      redone: entry.undoneId,
      exists: use === 'change',
      dataset: members,
      ...counts,
    }
  })
}

/** Gives a dataset the state before an entry: it loads the staged items, and removes those that the entry created. */
async function restore(
  state: Omit<State, 'row' | 'labels'>,
  before: DatasetDocument,
  review: (counts: MergeCounts) => Promise<Date>,
): Promise<ChangeCounts & { grants: number }> {
  const { session, table, datasetId, exists } = state
  const taken = sql`SELECT FROM datasets WHERE slug = $1 AND id <> $2`
  if ((await session.query(taken, [before.slug, datasetId])).rowCount !== 0)
    throw operationFailed(`Another dataset has the slug ${before.slug} now; give it another one first`)
  const isRemoved = sql`i.id IN (SELECT id FROM ${afterOf(table)})`
  const { unchanged, ...counts } = await load({ ...state, row: before, labels: before.labels }, isRemoved, review)
  const grants = exists ? 0 : await restoreGrants(session, before)
  // So that a conflict is known here.
  await session.query(sql`SET CONSTRAINTS ALL IMMEDIATE`)
  return { ...counts, grants }
}

async function findUndoableEntry(session: SqlSession, id: string, slug: string): Promise<UndoEntry> {
  const entry = await findLastEntry(session, id)
  if (!entry) throw operationFailed(`The dataset ${slug} has no history`)
  if (!entry.isStored) {
    throw operationFailed(
      `The last change of the dataset ${slug}, entry ${entry.id}, can't be undone: it is older than UNDO_DAYS, UNDO_DAYS was 0, or it was copied from another catalog`,
    )
  }
  return entry
}

async function countItems({ session, datasetId }: Staged): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM items WHERE dataset_id = $1`,
    [datasetId],
  )
  return rows[0]?.count ?? 0
}

/** Returns the number of grants that are back. A grant of a key that was deleted since is lost with its key. */
async function restoreGrants(session: SqlSession, { grants }: DatasetDocument): Promise<number> {
  const { rowCount } = await session.query(
    sql`INSERT INTO grants
     SELECT r.* FROM jsonb_populate_recordset(NULL::grants, $1) AS r WHERE EXISTS (SELECT FROM api_keys AS k WHERE k.id = r.api_key_id)`,
    [JSON.stringify(grants)],
  )
  return rowCount ?? 0
}

/** Throws a violated constraint (SQLSTATE class 23) again as a readable error. */
function explainConflict(slug: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DatabaseError) || !error.code?.startsWith('23')) throw error
    throw operationFailed(
      `The dataset ${slug} can't go back, because it conflicts with later changes: ${error.detail ?? error.message}`,
      error,
    )
  }
}

/** The table of the ids and hashes of the items that an entry created or changed, as they were after it. It ends with the transaction. */
const afterOf = (table: SqlText) => sql`${table}_after`

/**
 * Stages the items that an entry changed or removed, as they were before it, and creates the table of those after it. A column that a
 * migration has added since keeps its value.
 */
async function stageEntry({ session, table }: Staged, entryId: string): Promise<void> {
  await session.query(
    sql`INSERT INTO ${table} (${columnList(MERGED_COLUMN_NAMES)}, n, file, line, has_own_id, images)
     SELECT ${columnList(MERGED_COLUMN_NAMES, sql`r`)}, row_number() OVER (), 0, 0, true,
            (SELECT coalesce(jsonb_agg(image - 'item_id' ORDER BY place), '[]')
               FROM jsonb_array_elements(before.line -> 'images') WITH ORDINALITY AS given (image, place))
       -- PostgreSQL would otherwise parse each line several times.
       FROM (SELECT line::jsonb FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'before' OFFSET 0) AS before
       LEFT JOIN items AS i ON i.id = (before.line ->> 'id')::uuid
      CROSS JOIN jsonb_populate_record(i, before.line) AS r`,
    [entryId],
  )
  await indexStaging(session, table)
  const after = afterOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${after} (id uuid PRIMARY KEY, hash bigint NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO ${after}
     SELECT split_part(line, ' ', 1)::uuid, split_part(line, ' ', 2)::bigint FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'after'`,
    [entryId],
  )
  await session.query(sql`ANALYZE ${after}`)
}

/** An error lists at most this number of changes. */
const LISTED = 20

/**
 * Checks that nobody has changed what an undo would overwrite since its entry, for example with psql. Returns whether the dataset exists.
 * @param staged has the items of the entry (`stageEntry`)
 * @throws `OPERATION_FAILED` with the changes, unless the undo may overwrite them
 */
async function checkUnchanged(staged: Staged, entry: UndoEntry, overwrite: boolean): Promise<boolean> {
  const { session, datasetId } = staged
  const { id, slug, revision, datasetAfter } = entry
  const columns = await readStoredColumns(session)
  const { rows } = await session.query<{ revision: string; document: DatasetDocument }>(
    sql`SELECT revision, ${datasetDocument(columns)} AS document FROM datasets AS d WHERE id = $1`,
    [datasetId],
  )
  const [current] = rows
  // The entry has only the items that it changed.
  if (!current && datasetAfter) {
    throw operationFailed(
      `Others have removed the dataset ${slug}, and its items are not in the history; import it again`,
    )
  }
  // Every change moves the revision, whoever makes it.
  if (overwrite || (current?.revision ?? null) === revision) return current !== undefined
  const changes = [
    ...describeDataset(datasetAfter, current?.document),
    ...(await describeItems(staged, entry, columns)),
  ]
  if (changes.length === 0) return current !== undefined
  const headline = `Others have changed the dataset ${slug} since entry ${id}; nothing was undone; to overwrite their changes, add --overwrite`
  const rest = changes.length - LISTED
  throw operationFailed([headline, ...changes.slice(0, LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])])
}

function describeDataset(after: DatasetDocument | null, current: DatasetDocument | undefined): string[] {
  if (!current) return []
  if (!after) return ['the dataset was created']
  const changed = Object.keys(findDifferences(after, current))
  return changed.length === 0 ? [] : [`the dataset has another ${changed.join(', ')}`]
}

async function describeItems(staged: Staged, entry: UndoEntry, current: StoredColumns): Promise<string[]> {
  const { session, datasetId, table } = staged
  const { datasetBefore, columns } = entry
  const after = afterOf(table)
  if (!columns) return []
  const known = {
    items: commonColumns(columns.items, current.items),
    images: commonColumns(columns.images, current.images),
  }
  const { rows } = await session.query<{ id: string; name: string | null; what: string }>(
    sql`SELECT a.id, i.name, CASE WHEN i.id IS NULL THEN 'removed' ELSE 'changed' END AS what
       FROM ${after} AS a LEFT JOIN items AS i ON i.id = a.id AND i.dataset_id = $1
      WHERE ${itemHash(known)} IS DISTINCT FROM a.hash
      UNION ALL
     SELECT i.id, i.name, 'added'
       FROM items AS i
      WHERE NOT EXISTS (SELECT FROM ${after} AS a WHERE a.id = i.id)
        AND (EXISTS (SELECT FROM ${table} AS s WHERE s.id = i.id) OR ($2 AND i.dataset_id = $1))
      ORDER BY 1`,
    [datasetId, datasetBefore === null],
  )
  return rows.map(({ id, name, what }) => `the item ${id}${name === null ? '' : ` (${name})`} was ${what}`)
}
