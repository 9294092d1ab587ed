import type { Collected } from './collected.ts'
import type { Answer, Origin } from './origin.ts'

/** A complete state of a dataset, or why there is none. */
export type Followed = { kind: 'complete'; collected: Collected; cursor: string } | { kind: 'refused'; reason: string }

interface FollowOptions {
  origin: Origin
  dataset: string
  /** Where the copy is; undefined to begin. */
  cursor: string | undefined
  /** Whether to go on for ever. */
  isFollowing: boolean
  /** Returns an empty collection. It is for a whole copy, or for what differs from the last state. */
  collect: (isWhole: boolean) => Collected
  /** What an earlier process has collected. */
  begun?: Collected | undefined
  /** Called after each page that is not the last. */
  onPage?: (collected: Collected, cursor: string) => Promise<void>
}

const WAIT_SECONDS = 60
const REFUSED_PAUSE_SECONDS = 60

/** Yields each complete state of a dataset, one after the other. The next page is asked for when the state is applied. */
export async function* followDataset(options: FollowOptions): AsyncGenerator<Followed> {
  const { origin, dataset, isFollowing, collect, onPage } = options
  let { cursor } = options
  let collected = options.begun ?? collect(cursor === undefined)
  let isNew = false
  let next: Promise<Answer> | undefined
  for (;;) {
    const answer = await (next ?? origin.page(dataset, cursor, isNew && collected.isEmpty ? WAIT_SECONDS : 0))
    next = undefined
    if (answer.kind === 'expired') {
      cursor = undefined
      collected = collect(true)
    } else if (answer.kind === 'refused') {
      yield answer
      if (!isFollowing) return
      await origin.pause(REFUSED_PAUSE_SECONDS)
    } else {
      cursor = answer.cursor
      // The origin reads the next page while this one is written. If it fails, the loop throws.
      if (!answer.isComplete) next = origin.page(dataset, cursor, 0)
      next?.catch(() => {})
      await collected.add(answer.lines)
      if (!answer.isComplete) {
        await onPage?.(collected, cursor)
        continue
      }
      yield { kind: 'complete', collected, cursor }
      if (!isFollowing) return
      collected = collect(false)
      isNew = true
    }
  }
}
