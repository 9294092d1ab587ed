import { existsSync } from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { z } from 'zod'
import { begun, Collected } from './collected.ts'
import type { Answer, Origin } from './origin.ts'
import { readState, writeAtomically } from './state-file.ts'

/** A complete state of a dataset, or why there is none. */
export type Followed = { kind: 'complete'; collected: Collected; cursor: string } | { kind: 'refused'; reason: string }

interface FollowOptions {
  origin: Origin
  /** A slug or UUID. */
  dataset: string
  /** Where the copy is; undefined to begin. */
  cursor: string | undefined
  /** Whether to go on for ever. */
  isFollowing: boolean
  /** The path of the files with the pages that came since the last complete state, without an ending. */
  pages: string
  onPage: (dataset: string) => void
}

/** The longest wait for a change, until a refused dataset is asked for again, and until new ones are looked for. */
const PATIENCE_SECONDS = 60

/** A page that is not the last one of a whole copy: another process goes on there. */
const firstPages = begun.extend({ origin: z.string(), cursor: z.string() })

/** Yields each complete state of a dataset, one after the other. The next page is asked for when the state is applied. */
export async function* followDataset(options: FollowOptions): AsyncGenerator<Followed> {
  const { origin, isFollowing, pages, onPage } = options
  const [linesPath, begunPath] = [`${pages}.partial`, `${pages}.json`]
  const earlier = options.cursor === undefined ? await readState(begunPath, firstPages) : undefined
  const goesOn = earlier?.origin === origin.url && existsSync(linesPath) ? earlier : undefined
  const begin = async (isWhole: boolean) => {
    for (const path of [begunPath, linesPath]) await rm(path, { force: true })
    return new Collected(linesPath, isWhole)
  }
  // What the process has written after the page goes.
  if (goesOn) await truncate(linesPath, goesOn.bytes)
  let { dataset, cursor = goesOn?.cursor } = options
  let collected = goesOn ? new Collected(linesPath, true, goesOn) : await begin(cursor === undefined)
  let isNew = false
  let next: Promise<Answer> | undefined
  for (;;) {
    const answer = await (next ?? origin.page(dataset, cursor, isNew && collected.isEmpty ? PATIENCE_SECONDS : 0))
    next = undefined
    if (answer.kind === 'expired') {
      cursor = undefined
      collected = await begin(true)
    } else if (answer.kind === 'refused') {
      yield answer
      if (!isFollowing) return
      await origin.pause(PATIENCE_SECONDS)
    } else {
      // The dataset may get another slug.
      dataset = answer.datasetId ?? dataset
      cursor = answer.cursor
      // The origin reads the next page while this one is written. If it fails, the loop throws.
      if (!answer.isComplete) next = origin.page(dataset, cursor, 0)
      next?.catch(() => {})
      await collected.add(answer.lines)
      if (!answer.isComplete) {
        const { position, isWhole } = collected
        if (position && isWhole)
          await writeAtomically(begunPath, JSON.stringify({ origin: origin.url, cursor, ...position }))
        onPage(options.dataset)
        continue
      }
      yield { kind: 'complete', collected, cursor }
      collected = await begin(false)
      if (!isFollowing) return
      isNew = true
    }
  }
}

/** Copies all datasets that are found, now or later, until a copy fails. */
export function followDatasets(
  find: Origin['datasets'],
  origin: Pick<Origin, 'pause'>,
  copy: (slug: string) => Promise<void>,
): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const known = new Set<string>()
  const search = async () => {
    for (;;) {
      for (const { id, slug } of await find()) {
        // A dataset with a new slug is followed already.
        if (!known.has(id)) copy(slug).catch(reject)
        known.add(id)
      }
      await origin.pause(PATIENCE_SECONDS)
    }
  }
  search().catch(reject)
  return promise
}
