import { OperationFailed } from '../errors/errors.ts'
import type { MergeCounts } from './merge.ts'

/** What an import or an undo does to many items: it removes them, or moves them by more than `FAR_METRES`. */
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

/** A place is rarely corrected by more than this. */
export const FAR_METRES = 1_000

/** A single place that moves by more than this has probably a wrong digit. */
export const WARNED_METRES = 100_000

/** A change of a larger share of the items of a dataset is large. */
const LARGE_SHARE = 0.1

/** The error of an import or an undo that would make a large change. */
export class LargeChangeStopped extends OperationFailed {
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

/** Returns the large changes of an import or an undo. `updated` and `unchanged` items stay. */
export function findLargeChanges(
  { by, slug }: Pick<LargeChange, 'by' | 'slug'>,
  { updated, unchanged, removed }: Omit<MergeCounts, 'created'>,
  moved = 0,
): LargeChange[] {
  const staying = updated + unchanged
  const changes: LargeChange[] = [
    { by, kind: 'removals', slug, count: removed, total: staying + removed },
    { by, kind: 'moves', slug, count: moved, total: staying },
  ]
  return changes.filter(({ count, total }) => count > LARGE_SHARE * total)
}

/** @throws LargeChangeStopped for a change of more items than are allowed */
export function requireAllowed(changes: readonly LargeChange[], allowed: AllowedChanges): void {
  const change = changes.find(({ kind, count }) => count > allowed[kind])
  if (change) throw new LargeChangeStopped(change)
}

function describeCount({ count, total }: LargeChange): string {
  if (count === total) return total === 1 ? 'the only item' : `all ${total} items`
  return `${count} of ${total} items`
}

/** What is asked before a large change. A kind without a question is allowed. */
export type Questions = Partial<Record<LargeChangeKind, (change: LargeChange) => Promise<boolean>>>

/** The numbers of items that a large change of each kind may have. */
export type AllowedChanges = Record<LargeChangeKind, number>

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
