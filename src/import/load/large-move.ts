import { OperationFailed } from '../../errors.ts'
import { LARGE_SHARE } from './large-removal.ts'

/** Number of items that an import would move by more than `FAR_METRES`, and number of items that stay. */
export interface Move {
  slug: string
  moved: number
  total: number
}

/** A place is rarely corrected by more than this. */
export const FAR_METRES = 1_000

/** The error of an import that would move many items far. */
export class LargeMove extends OperationFailed {
  readonly move: Move

  constructor(move: Move) {
    const { slug, moved, total } = move
    super(
      `This import would move ${moved} of ${total} items of the dataset ${slug} by more than a kilometre; nothing was changed; to do so, add --allow-moves`,
    )
    this.move = move
  }
}

/** More than a tenth of the items that stay; undefined for fewer. */
export function findLargeMove(
  slug: string,
  { updated, unchanged }: { updated: number; unchanged: number },
  moved: number,
): LargeMove | undefined {
  const total = updated + unchanged
  return moved > LARGE_SHARE * total ? new LargeMove({ slug, moved, total }) : undefined
}
