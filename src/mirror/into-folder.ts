import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isSlug, isUuid } from '../catalog/arguments.ts'
import { operationFailed } from '../errors/errors.ts'
import { Collected, mergeSorted, readItems } from './collected.ts'
import { type Followed, followDataset } from './follow.ts'
import type { Origin } from './origin.ts'

/*
 * A copy of a dataset in a folder. `SLUG.ndjson` is always a complete state: the NDJSON export of that moment. `SLUG.json` has its cursor.
 * A kill between the two renames leaves a new file with the old cursor: the changes since then are applied again.
 */

const state = z.strictObject({ origin: z.string(), cursor: z.string(), dataset: z.unknown() })
const begun = z.strictObject({
  origin: z.string(),
  cursor: z.string(),
  lastId: z.string(),
  bytes: z.number(),
  dataset: z.string().optional(),
})

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
  { folder, isFollowing, onPage }: { folder: string; isFollowing: boolean; onPage: (items: string) => void },
): AsyncGenerator<FolderState | (Followed & { kind: 'refused' })> {
  if (!isSlug(dataset) && !isUuid(dataset)) throw operationFailed(`${dataset} is no slug of a dataset`)
  await mkdir(folder, { recursive: true })
  const pathOf = (ending: string) => join(folder, `${dataset}.${ending}`)
  const [path, statePath] = [pathOf('ndjson'), pathOf('json')] as const
  const [partial, begunPath] = [pathOf('pages.partial'), pathOf('pages.json')] as const
  const last = existsSync(path) ? await readState(statePath, state) : undefined
  if (last && last.origin !== origin.url)
    throw operationFailed(`${path} is a copy from ${last.origin}; give another folder, or remove it`)
  // A page that is not the last one of the first copy: another process goes on there.
  const earlier = last ? undefined : await readState(begunPath, begun)
  const mayGoOn = earlier?.origin === origin.url && existsSync(partial) ? earlier : undefined
  const states = followDataset({
    origin,
    dataset,
    isFollowing,
    cursor: last?.cursor ?? mayGoOn?.cursor,
    begun: mayGoOn && new Collected(partial, true, mayGoOn),
    collect: (isWhole) => new Collected(partial, isWhole),
    onPage: async (collected, cursor) => {
      const { position, isWhole } = collected
      if (position && isWhole)
        await writeAtomically(begunPath, JSON.stringify({ origin: origin.url, cursor, ...position }))
      onPage(dataset)
    },
  })
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
    await Promise.all([partial, begunPath].map((file) => rm(file, { force: true })))
    yield { kind: 'complete', path, items: hasChanged ? items : undefined }
  }
}

async function readState<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  if (!existsSync(path)) return undefined
  const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success) throw operationFailed(`${path} is not of this command; give another folder, or remove it`)
  return parsed.data
}

/** Under the same name each time: a process that is killed again and again leaves one file. */
async function writeAtomically(path: string, content: string | AsyncIterable<string>): Promise<void> {
  await writeFile(`${path}.partial`, content)
  await rename(`${path}.partial`, path)
}
