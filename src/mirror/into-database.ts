import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { columnName } from '../catalog/columns.ts'
import { isUniqueViolation } from '../database/client.ts'
import type { Database } from '../database/database.ts'
import { renewStatistics } from '../database/statistics.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import type { Origin as ChangeOrigin } from '../history/record.ts'
import { withDatasetLocked } from '../import/dataset-lock.ts'
import { load, type MergeCounts } from '../import/merge.ts'
import { createStaging, dropStaging, indexStaging, stageBadRows, stagedLine, stageRows } from '../import/staging.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import type { Collected } from './collected.ts'
import { type Followed, followDataset } from './follow.ts'
import type { Origin } from './origin.ts'
import { openPagesFolder } from './pages-folder.ts'

/*
 * A copy of a dataset in this catalog. Each complete state is one merge, as an import is one, with its cursor in the same transaction. So
 * readers see one state of the origin after the other, and a kill loses nothing.
 */

/** The dataset as the origin describes it. */
const description = z.looseObject({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.string(),
  visibility: z.string(),
  accessTier: z.string().nullable(),
  attribution: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  labels: z.record(z.string(), z.record(z.string(), z.string())),
})
type Description = z.output<typeof description>

/** What a new state of the copy changed; `counts` is undefined if nothing has changed. */
export interface DatabaseState {
  kind: 'complete'
  slug: string
  counts: MergeCounts | undefined
}

interface MirrorOptions {
  isFollowing: boolean
  change: ChangeOrigin
  onPage: (dataset: string) => void
}

/**
 * Keeps a dataset of the origin in this catalog.
 * @throws `OPERATION_FAILED` if a dataset of that slug or id is here that is no copy from there
 */
export async function* mirrorIntoDatabase(
  database: Database,
  origin: Origin,
  name: string,
  { isFollowing, change, onPage }: MirrorOptions,
): AsyncGenerator<DatabaseState | (Followed & { kind: 'refused' })> {
  const known = await findMirror(database, origin, name)
  const folder = await openPagesFolder(`${origin.url} ${name}`)
  let described = known && description.parse(known.dataset)
  let id = known?.datasetId
  try {
    const states = followDataset({
      origin,
      dataset: id ?? name,
      isFollowing,
      cursor: known?.cursor,
      pages: join(folder, 'pages'),
      onPage: () => onPage(name),
    })
    for await (const followed of states) {
      if (followed.kind === 'refused') {
        if (id !== undefined) await markRefused(database, id, followed.reason)
        yield followed
        continue
      }
      const { collected, cursor } = followed
      if (collected.dataset !== undefined) described = description.parse(JSON.parse(collected.dataset))
      if (!described) throw operationFailed(`${origin.url} gives the dataset ${name} without a description`)
      id = described.id
      const counts = await applyInTurn(database, { origin, collected, cursor, described, change, isFollowing })
      yield { kind: 'complete', slug: described.slug, counts }
    }
  } finally {
    // What has come of a first copy stays for the next process.
    if (described) await rm(folder, { recursive: true, force: true })
  }
}

/** The copy of a dataset of the origin, by its slug or UUID; undefined before the first complete state. */
async function findMirror({ prisma }: Database, { url }: Origin, name: string) {
  const mirrors = await prisma.mirror.findMany({ where: { origin: url } })
  return mirrors.find(
    ({ datasetId, dataset }) => datasetId === name.toLowerCase() || description.parse(dataset).slug === name,
  )
}

interface NewState {
  origin: Origin
  collected: Collected
  cursor: string
  described: Description
  change: ChangeOrigin
  isFollowing: boolean
}

/** How often, and after which pause, a state is tried again that has an item of another copy. */
const TURNS = 60
const TURN_SECONDS = 1

/** Merges a complete state. An item that has moved from another copy must be removed there first, which is followed at the same time. */
async function applyInTurn(database: Database, state: NewState): Promise<MergeCounts | undefined> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await apply(database, state)
    } catch (error) {
      const isTaken = error instanceof Error && isUniqueViolation(error.cause)
      if (!state.isFollowing || !isTaken || turn === TURNS) throw error
      await state.origin.pause(TURN_SECONDS)
    }
  }
}

/** Merges a complete state. Returns undefined if nothing has changed. */
async function apply(database: Database, state: NewState): Promise<MergeCounts | undefined> {
  const { collected, described } = state
  return database.withSession(async (session) => {
    if (collected.isEmpty && !collected.isWhole) {
      await inTransaction(session, () => storeCursor(session, state))
      return undefined
    }
    const table = await createStaging(session)
    try {
      const rows = await stage(session, table, collected)
      await indexStaging(session, table)
      return await database.withReadersOnCopy(session, rows, async () => {
        const { id, slug } = described
        const counts = await withDatasetLocked(session, { id, slug, use: 'change' }, () => merge(session, table, state))
        await renewStatistics(session)
        return counts
      })
    } finally {
      // Without a connection this fails too. The error of the merge says why it was lost.
      await dropStaging(session, table).catch(() => {})
    }
  })
}

async function merge(session: SqlSession, table: SqlText, state: NewState): Promise<MergeCounts> {
  const { origin, collected, described, change } = state
  const { id, labels, ...facts } = described
  const exists = await requireMirror(session, origin, described)
  const row = Object.fromEntries(Object.entries(facts).map(([field, value]) => [columnName(field), value]))
  const list = Object.entries(labels).flatMap(([field, byCode]) =>
    Object.entries(byCode).map(([code, label]) => ({ field, code, label })),
  )
  const counts = await load(
    { session, table, datasetId: id, exists, row, labels: list, change: { action: 'import', origin: change } },
    collected.isWhole ? sql`true` : sql`i.id IN (SELECT id FROM ${table}_bad)`,
  )
  await storeCursor(session, state)
  return counts
}

/** Returns whether the dataset is here. @throws `OPERATION_FAILED` if it is no copy from the origin, or another one has its slug */
async function requireMirror(session: SqlSession, { url }: Origin, { id, slug }: Description): Promise<boolean> {
  const { rows } = await session.query<{ id: string; origin: string | null }>(
    sql`SELECT d.id, m.origin FROM datasets AS d LEFT JOIN mirrors AS m ON m.dataset_id = d.id WHERE d.id = $1 OR d.slug = $2`,
    [id, slug],
  )
  for (const found of rows) {
    if (found.id === id && found.origin === url) continue
    const what = found.origin === null ? 'is no copy' : `is a copy from ${found.origin}`
    throw operationFailed(`A dataset ${slug} is here and ${what}; rename or remove it: catalog datasets remove ${slug}`)
  }
  return rows.length > 0
}

async function storeCursor(session: SqlSession, { origin, cursor, described }: NewState): Promise<void> {
  // What was inactive while the origin refused is as the origin has it again.
  await session.query(
    sql`UPDATE datasets SET status = ($2::text)::dataset_status WHERE id = $1 AND status::text <> $2
         AND EXISTS (SELECT FROM mirrors WHERE dataset_id = $1 AND problem IS NOT NULL)`,
    [described.id, described.status],
  )
  await session.query(
    sql`INSERT INTO mirrors (dataset_id, origin, cursor, dataset, complete_at) VALUES ($1, $2, $3, $4, clock_timestamp())
         ON CONFLICT (dataset_id) DO UPDATE
        SET cursor = excluded.cursor, dataset = excluded.dataset, complete_at = excluded.complete_at, problem = NULL`,
    [described.id, origin.url, cursor, JSON.stringify(described)],
  )
}

/** Readers must not see what the origin does not show them any more. */
async function markRefused(database: Database, id: string, problem: string): Promise<void> {
  await database.withSession((session) =>
    inTransaction(session, async () => {
      await session.query(sql`UPDATE datasets SET status = 'inactive' WHERE id = $1 AND status <> 'inactive'`, [id])
      await session.query(sql`UPDATE mirrors SET problem = $2 WHERE dataset_id = $1`, [id, problem])
    }),
  )
}

const BATCH_ROWS = 500

/** Adds the items to the staging table, and those that are not there any more to its table of bad rows. Returns their number. */
async function stage(session: SqlSession, table: SqlText, collected: Collected): Promise<number> {
  let count = 0
  let rows: string[] = []
  let removed: { id: string; externalId: null }[] = []
  const flush = async () => {
    await stageRows(session, table, rows)
    await stageBadRows(session, table, removed)
    rows = []
    removed = []
  }
  for await (const [id, line] of collected.items()) {
    if (line === null) removed.push({ id, externalId: null })
    else {
      count += 1
      rows.push(stagedLine(line, count))
    }
    if (rows.length + removed.length >= BATCH_ROWS) await flush()
  }
  await flush()
  return count
}
