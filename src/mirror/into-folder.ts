import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isSlug, isUuid } from '../catalog/arguments.ts'
import { operationFailed } from '../errors/errors.ts'
import { mergeSorted, readItems } from './collected.ts'
import { type Followed, followDataset } from './follow.ts'
import type { Origin } from './origin.ts'
import { readState, writeAtomically } from './state-file.ts'

/*
 * A copy of a dataset in a folder. `SLUG.ndjson` is always a complete state: the NDJSON export of that moment. `SLUG.json` has its cursor.
 * A kill between the two renames leaves a new file with the old cursor: the changes since then are applied again.
 */

const state = z.strictObject({ origin: z.string(), cursor: z.string(), dataset: z.unknown() })

/** What a new state of the copy changed. */
export interface FolderState {
  kind: 'complete'
  path: string
  /** The number of items; undefined if nothing has changed. */
  items: number | undefined
}

/** Keeps `SLUG.ndjson` in a folder. @throws `OPERATION_FAILED` if the folder has a copy of another catalog */
export async function* mirrorIntoFolder(
  origin: Origin,
  dataset: string,
  { folder, isFollowing, onPage }: { folder: string; isFollowing: boolean; onPage: (dataset: string) => void },
): AsyncGenerator<FolderState | (Followed & { kind: 'refused' })> {
  if (!isSlug(dataset) && !isUuid(dataset)) throw operationFailed(`${dataset} is no slug of a dataset`)
  await mkdir(folder, { recursive: true })
  const pathOf = (ending: string) => join(folder, `${dataset}.${ending}`)
  const [path, statePath] = [pathOf('ndjson'), pathOf('json')] as const
  const last = existsSync(path) ? await readState(statePath, state) : undefined
  if (last && last.origin !== origin.url)
    throw operationFailed(`${path} is a copy from ${last.origin}; give another folder, or remove it`)
  const states = followDataset({ origin, dataset, isFollowing, cursor: last?.cursor, pages: pathOf('pages'), onPage })
  let described: unknown = last?.dataset
  for await (const followed of states) {
    if (followed.kind === 'refused') {
      yield followed
      continue
    }
    const { collected, cursor } = followed
    if (collected.dataset !== undefined) described = JSON.parse(collected.dataset)
    const hasChanged = !collected.isEmpty || collected.isWhole
    let items = 0
    if (hasChanged) {
      const before = collected.isWhole ? [] : readItems(path)
      const lines = async function* () {
        for await (const [, line] of mergeSorted(before, collected.items())) {
          if (line === null) continue
          items += 1
          yield `${line}\n`
        }
      }
      await writeAtomically(path, lines())
    }
    await writeAtomically(statePath, JSON.stringify({ origin: origin.url, cursor, dataset: described }))
    yield { kind: 'complete', path, items: hasChanged ? items : undefined }
  }
}
