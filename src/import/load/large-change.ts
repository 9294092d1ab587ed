import { OperationFailed } from '../../errors/errors.ts'
import type { MergeCounts } from './merge.ts'

/** What an import does to many items: it removes them, or moves them by more than `FAR_METRES`. */
export type LargeChangeKind = 'removals' | 'moves'

/** A change of many items at once is probably a mistake in the files. */
export interface LargeChange {
  kind: LargeChangeKind
  slug: string
  /** The number of items that the import removes or moves. */
  count: number
  /** Of removals, the number of items that the dataset has; of moves, the number of items that stay. */
  total: number
}

/** A place is rarely corrected by more than this. */
export const FAR_METRES = 1_000

/** A change of a larger share of the items of a dataset is large. */
const LARGE_SHARE = 0.1

/** The error of an import that would make a large change. */
export class LargeChangeStopped extends OperationFailed {
  readonly change: LargeChange

  constructor(change: LargeChange) {
    super(
      `This import would ${describeLargeChange(change)}; nothing was changed; ${adviseSlug(change)}to do so, add --allow-${change.kind}`,
    )
    this.change = change
  }
}

/** Returns the large changes of an import. */
export function findLargeChanges(
  slug: string,
  { updated, unchanged, removed }: MergeCounts,
  moved: number,
): LargeChange[] {
  const staying = updated + unchanged
  const changes: LargeChange[] = [
    { kind: 'removals', slug, count: removed, total: staying + removed },
    { kind: 'moves', slug, count: moved, total: staying },
  ]
  return changes.filter(({ count, total }) => count > LARGE_SHARE * total)
}

/** If no item stays, the files may be those of another dataset, which would be replaced. */
function adviseSlug({ kind, count, total }: LargeChange): string {
  return kind === 'removals' && count === total ? 'if the files are another dataset, give it another slug; ' : ''
}

function describeLargeChange({ kind, slug, count, total }: LargeChange): string {
  const some = `${count} of ${total} items`
  if (kind === 'moves') return `move ${some} of the dataset ${slug} by more than a kilometre`
  return `remove ${count === total ? `all ${total} items` : some} of the dataset ${slug}`
}
