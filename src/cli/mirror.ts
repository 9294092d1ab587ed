import { readConfig } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { operationFailed } from '../errors/errors.ts'
import { followDatasets } from '../mirror/follow.ts'
import { type DatabaseState, mirrorIntoDatabase } from '../mirror/into-database.ts'
import { type FolderState, mirrorIntoFolder } from '../mirror/into-folder.ts'
import { Origin } from '../mirror/origin.ts'
import { CatalogCommand } from './command.ts'
import { commandOrigin, withDatabase } from './database.ts'
import { clearProgress, counted, printJson, printLine, printNotice, showProgress } from './print.ts'
import { stoppable } from './stop.ts'

interface Options {
  dataset: string[]
  follow?: boolean
  output?: string
  json?: true
}

export const mirrorCommand = new CatalogCommand('mirror')
  .argument('<url>', 'the URL of the other catalog; its key is in CATALOG_API_KEY')
  .option('--dataset <slug>', 'a dataset to copy, again for each; by default all that the key may access', collect, [])
  .option('--follow', 'go on for ever: each change is copied when it is made')
  .option('--output <folder>', 'keep SLUG.ndjson and its cursor in a folder, and use no database')
  .option('--json', 'print JSON: a line for each complete state')
  .example('CATALOG_API_KEY=dck_... npx catalog mirror https://catalog.example --dataset museums --follow')
  .action(mirror)

function collect(slug: string, slugs: readonly string[]): string[] {
  return [...slugs, slug]
}

type State = DatabaseState | FolderState | { kind: 'refused'; reason: string }

async function mirror(url: string, { dataset, follow = false, output, json }: Options): Promise<void> {
  const origin = new Origin({
    url: checkUrl(url),
    key: requireKey(),
    isPatient: follow,
    onRetry: (reason, seconds) => {
      clearProgress()
      printNotice(`${url}: ${reason}; again in ${counted(seconds, 'second')}`)
    },
  })
  const given = [...new Set(dataset)].map((name) => ({ id: name, slug: name }))
  const find = async () => (given.length > 0 ? given : origin.datasets())
  if ((await find()).length === 0) throw operationFailed(`The key may access no dataset of ${url}`)
  let pages = 0
  const onPage = (name: string) => {
    pages += 1
    if (process.stderr.isTTY) showProgress(`${name}: ${counted(pages, 'page')}`)
  }
  const keep = (states: (slug: string) => AsyncIterable<State>) =>
    copyAll(find, { origin, states, follow, json: json ?? false }).finally(() => origin.stop())
  if (output !== undefined)
    await stoppable(
      () => `${output} has the last complete states`,
      () => keep((slug) => mirrorIntoFolder(origin, slug, { folder: output, isFollowing: follow, onPage })),
    )
  else
    await withDatabase(
      (database: Database) =>
        keep((slug) =>
          mirrorIntoDatabase(database, origin, slug, { isFollowing: follow, change: commandOrigin(), onPage }),
        ),
      { creates: true },
    )
}

interface CopyOptions {
  origin: Origin
  states: (slug: string) => AsyncIterable<State>
  follow: boolean
  json: boolean
}

/** Copies datasets: all at once if it follows them, and otherwise one after the other. */
async function copyAll(find: Origin['datasets'], { origin, states, follow, json }: CopyOptions): Promise<void> {
  const refused = new Set<string>()
  const copy = async (slug: string) => {
    for await (const state of states(slug)) {
      clearProgress()
      if (state.kind === 'refused') refused.add(slug)
      if (json) printJson({ dataset: slug, at: new Date(), ...state })
      else printState(slug, state)
    }
  }
  if (follow) await followDatasets(find, origin, copy)
  // An item may have moved from one dataset to another one, so a dataset that fails is tried again after the others.
  const failed: string[] = []
  for (const { slug } of await find()) await copy(slug).catch(() => failed.push(slug))
  for (const slug of failed) await copy(slug)
  if (refused.size > 0)
    throw operationFailed(`${[...refused].join(', ')}: the origin refuses the key; the copy is inactive`)
}

function printState(slug: string, state: State): void {
  const time = new Date().toISOString()
  if (state.kind === 'refused') printNotice(`${time}  ${slug}: refused: ${state.reason}`)
  else if ('path' in state) {
    if (state.items !== undefined) printLine(`${time}  ${slug}: ${counted(state.items, 'item')} in ${state.path}`)
  } else if (state.counts) {
    const { created, updated, removed, unchanged } = state.counts
    printLine(
      `${time}  ${slug}: ${created} created, ${updated} updated, ${removed} removed, ${unchanged} compared and unchanged`,
    )
  }
}

/** @throws `OPERATION_FAILED` */
function checkUrl(text: string): string {
  // Nothing follows the path, and no password stands before the host.
  if (URL.canParse(text) && /^https?:\/\/[^?#@]+$/.test(text)) return text
  throw operationFailed(`${text} is no URL of a catalog, such as https://catalog.example`)
}

/** @throws `OPERATION_FAILED` */
function requireKey(): string {
  const { originKey } = readConfig(process.env)
  if (originKey !== undefined) return originKey
  throw operationFailed('CATALOG_API_KEY is not set: it has the API key of the other catalog')
}
