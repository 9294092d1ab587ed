import { OperationFailed } from '../errors/errors.ts'
import { metresBetween } from '../history/item-changes.ts'
import { sql } from '../sql.ts'
import { changesOf, type MergeCounts } from './merge.ts'
import type { Staged } from './staging.ts'

/** What an import or an undo does to many items: it removes them, or moves them by more than a kilometre. */
type LargeChangeKind = 'removals' | 'moves'

/** A change of many items at once is probably a mistake in the files. */
export interface LargeChange {
  /** What makes the change. */
  by: 'import' | 'undo'
  kind: LargeChangeKind
  slug: string
  /** The number of items that are removed or moved. */
  count: number
  /** Of removals, the number of items that the dataset has; of moves, the number of items that stay. */
  total: number
}

/** The numbers of items that a large change of each kind may have. */
export type AllowedChanges = Record<LargeChangeKind, number>

/** What is asked before a large change. A kind without a question is allowed. */
export type Questions = Partial<Record<LargeChangeKind, (change: LargeChange) => Promise<boolean>>>

/** The error of an import or an undo that would make a large change. */
class LargeChangeStopped extends OperationFailed {
  readonly change: LargeChange

  constructor(change: LargeChange) {
    const { by, kind, count, total } = change
    const some = `${kind === 'moves' ? 'move' : 'remove'} ${describeCount(change)}`
    // If no item stays, the files may be those of another dataset, which would be replaced.
    const isOther = by === 'import' && kind === 'removals' && count === total
    const advice = isOther ? 'if these files are another dataset, change its slug in the manifest; ' : ''
    super(`This ${describeLargeChange(change)}; nothing was changed; ${advice}to ${some}, add --allow-${kind}`)
    this.change = change
  }
}

/** A place is rarely corrected by more than this. */
const FAR_METRES = 1_000
/** A single place that moves by more than this has probably a wrong digit. */
const WARNED_METRES = 100_000
/** Warnings name at most this number of items. */
const MAX_FAR_MOVES = 100
/** A change of a larger share of the items of a dataset is large. */
const LARGE_SHARE = 0.1

/** An item that moves so far that it is probably a mistake in its row. */
interface FarMove {
  file: number
  line: number
  name: string
  metres: number
}

/** Returns the number of items that stay and move far, and the farthest of those that move much farther. */
async function findMoved({ session, table }: Staged): Promise<{ moved: number; far: FarMove[] }> {
  const { rows } = await session.query<{ moved: number; far: FarMove[] | null }>(
    sql`WITH changed AS MATERIALIZED (
       SELECT s.file, s.line, s.name, ${metresBetween([sql`i.latitude`, sql`i.longitude`], [sql`s.latitude`, sql`s.longitude`])} AS metres
         FROM ${changesOf(table)} AS c JOIN ${table} AS s USING (id) JOIN items AS i USING (id)
        WHERE (i.latitude, i.longitude) <> (s.latitude, s.longitude)
     )
     SELECT (SELECT count(*)::integer FROM changed WHERE metres > ${FAR_METRES}) AS moved,
            (SELECT json_agg(f) FROM (SELECT * FROM changed WHERE metres > ${WARNED_METRES}
               ORDER BY metres DESC, file, line LIMIT ${MAX_FAR_MOVES}) AS f) AS far`,
  )
  return { moved: rows[0]?.moved ?? 0, far: rows[0]?.far ?? [] }
}

/**
 * Returns the large changes of a load, after `planItems`, and the items that move farthest.
 * @param counts are what the merge will do. `updated` and `unchanged` items stay
 * @throws LargeChangeStopped for a change of more items than are allowed
 */
export async function reviewChanges(
  staged: Staged,
  { by, slug }: Pick<LargeChange, 'by' | 'slug'>,
  { updated, unchanged, removed }: Omit<MergeCounts, 'created'>,
  allowed: AllowedChanges,
): Promise<{ changes: LargeChange[]; far: FarMove[] }> {
  const { moved, far } = updated > 0 ? await findMoved(staged) : { moved: 0, far: [] }
  const staying = updated + unchanged
  const all: LargeChange[] = [
    { by, kind: 'removals', slug, count: removed, total: staying + removed },
    { by, kind: 'moves', slug, count: moved, total: staying },
  ]
  const changes = all.filter(({ count, total }) => count > LARGE_SHARE * total)
  const stopped = changes.find(({ kind, count }) => count > allowed[kind])
  if (stopped) throw new LargeChangeStopped(stopped)
  return { changes, far }
}

/**
 * Attempts a load. The question about a large change is asked between two attempts, so that nobody waits for the answer. It is asked
 * again if the next attempt would change more items than the answer allowed.
 */
export async function askBetween<Result>(
  questions: Questions,
  attempt: (allowed: AllowedChanges) => Promise<Result>,
): Promise<Result> {
  const before = (kind: LargeChangeKind) => (questions[kind] ? 0 : Number.POSITIVE_INFINITY)
  const allowed = { removals: before('removals'), moves: before('moves') }
  for (;;) {
    try {
      return await attempt(allowed)
    } catch (error) {
      if (!(error instanceof LargeChangeStopped)) throw error
      const { kind, count } = error.change
      if (!(await questions[kind]?.(error.change))) throw error
      allowed[kind] = count
    }
  }
}

/** Says what an import would ask before a change. */
export function describeQuestion(change: LargeChange): string {
  const would = `the ${describeLargeChange(change)}, and asks before`
  return `${would}; without a terminal it needs --allow-${change.kind}`
}

/** Says what would happen: `import would remove 15 of 100 items of the dataset parks`. */
export function describeLargeChange(change: LargeChange): string {
  const { by, kind, slug } = change
  const items = `${describeCount(change)} of the dataset ${slug}`
  return `${by} would ${kind === 'moves' ? `move ${items} by more than a kilometre` : `remove ${items}`}`
}

function describeCount({ count, total }: LargeChange): string {
  if (count === total) return total === 1 ? 'the only item' : `all ${total} items`
  return `${count} of ${total} items`
}
