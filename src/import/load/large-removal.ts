import { OperationFailed } from '../../errors.ts'
import type { MergeCounts } from './merge.ts'

/** Number of items that an import would remove, and number of items that the dataset has. */
export interface Removal {
  slug: string
  removed: number
  total: number
}

/** A change of a larger share of the items of a dataset is more likely a mistake in the files. */
export const LARGE_SHARE = 0.1

/** The error of an import that would remove many items. */
export class LargeRemoval extends OperationFailed {
  readonly removal: Removal

  constructor(removal: Removal) {
    const { slug, removed, total } = removal
    const what = removed === total ? `all ${total} items` : `${removed} of ${total} items`
    super(
      `This import would remove ${what} of the dataset ${slug}; nothing was changed; to do so, add --allow-removals`,
    )
    this.removal = removal
  }
}

/** More than a tenth of the items of a dataset, or all of them; undefined for fewer. */
export function findLargeRemoval(slug: string, { updated, unchanged, removed }: MergeCounts): LargeRemoval | undefined {
  const total = updated + unchanged + removed
  if (removed === 0 || (removed <= LARGE_SHARE * total && removed < total)) return undefined
  return new LargeRemoval({ slug, removed, total })
}
