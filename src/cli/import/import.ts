import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { findValidKeys } from '../../auth/keys.ts'
import { mayAccess } from '../../catalog/access.ts'
import type { Database } from '../../database/database.ts'
import { renewStatistics } from '../../database/statistics.ts'
import { operationFailed } from '../../errors/errors.ts'
import { bundleOf, importHistory, importKeys, readCatalogFile } from '../../export/whole-export.ts'
import {
  type DatasetChanges,
  type ImportOptions,
  type ImportSummary,
  importManifest,
  type LargeChange,
} from '../../import/import.ts'
import { type Located, locate } from '../../init/where.ts'
import type { RowItem } from '../../rows/parse-item.ts'
import { Places } from '../../rows/places.ts'
import { ProblemList } from '../../rows/problem.ts'
import { describeMembers, printChanges, SHOWN_EXAMPLES } from '../changes.ts'
import { CatalogCommand } from '../command.ts'
import { canAsk, confirm } from '../confirm.ts'
import { commandOrigin, withDatabase } from '../database.ts'
import { ALLOW_MOVES, ALLOW_REMOVALS } from '../options.ts'
import { printJson, printLine, printNotice } from '../print.ts'
import { initCommand } from './init.ts'
import { printPlaces } from './print-proposal.ts'
import { importProgress } from './progress.ts'

interface Options {
  keepMissing?: true
  detach?: true
  skipInvalid?: true
  allowRemovals?: true
  allowMoves?: true
  dryRun?: true
  json?: true
}

export const importCommand = new CatalogCommand('import')
  .argument(
    '<manifest...>',
    'manifest files, or folders of catalog export --all; the paths in a manifest are relative to it',
  )
  .option('--dry-run', 'print the counts, the problems and examples of what would change, and change nothing')
  .option('--keep-missing', 'keep items that are no longer in the files')
  .option('--detach', 'import into a copy of a dataset of another catalog, which is no copy any more')
  .option('--skip-invalid', 'import the valid rows and report the invalid ones')
  .option(...ALLOW_REMOVALS)
  .option(...ALLOW_MOVES)
  .option('--json', 'print one line of JSON for each manifest')
  .example('npx catalog import museums.json')
  .action(run)
  .addCommand(initCommand)

async function run(manifests: string[], options: Options): Promise<void> {
  // The gateway's large young generation would take a third of the memory of an import, and makes it no faster.
  setFlagsFromString('--semi-space-growth-factor=1')
  await withDatabase(
    async (database) => {
      const importPath = async (manifest: string) => {
        const { summary, plan, places } = await importOne(database, manifest, options)
        if (plan) printPlan(plan, summary, options)
        printSummary(summary, plan, places, options)
        // Scripts read the counts; only a person needs advice.
        if (process.stdout.isTTY && !options.json && !options.dryRun) await printReaders(database, summary)
      }
      for (const path of manifests) {
        if (await isFolder(path)) await importAll(database, path, options, importPath)
        else await importPath(path)
      }
    },
    { creates: true },
  )
}

/** Whether a path is a folder, and so a whole catalog. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Imports the datasets of a folder of `catalog export --all`, each completely or not at all, then its keys. */
async function importAll(
  database: Database,
  folder: string,
  { dryRun, json }: Options,
  importPath: (manifest: string) => Promise<void>,
): Promise<void> {
  if (dryRun) throw operationFailed(`--dry-run takes manifests, and ${folder} is a folder`)
  const { datasets, hasKeys } = await readCatalogFile(folder)
  await database.withSession((session) => importHistory(session, folder))
  for (const slug of datasets) await importPath(join(bundleOf(folder, slug), 'manifest.json'))
  if (!hasKeys) return
  const keys = await database.withSession(async (session) => {
    const counts = await importKeys(session, folder)
    await renewStatistics(session)
    return counts
  })
  if (json) printJson({ keys })
  else printLine(`keys: ${keys.added} added, ${keys.present} were there already`)
}

async function importOne(database: Database, manifest: string, options: Options) {
  const {
    keepMissing = false,
    detach = false,
    skipInvalid = false,
    dryRun = false,
    allowRemovals,
    allowMoves,
    json,
  } = options
  const display = importProgress(process.stderr.isTTY)
  const warnings = new ProblemList()
  const skipped = new ProblemList()
  const places = new Places()
  let plan: DatasetChanges | undefined
  const ask = async (change: LargeChange) => {
    display.clear()
    return canAsk() && confirm(questionAbout(change))
  }
  const importOptions: ImportOptions = {
    keepMissing,
    detach,
    skipInvalid,
    dryRun,
    origin: commandOrigin(),
    onProgress: display.show,
    onPhase: display.showPhase,
    onWarning: (problem) => warnings.add(problem),
    ...(dryRun && { onItem: (row: number, item: RowItem) => places.add(row, item) }),
    onSkipped: (problem) => skipped.add(problem),
    confirm: { ...(!allowRemovals && { removals: ask }), ...(!allowMoves && { moves: ask }) },
    ...(!json && { examples: SHOWN_EXAMPLES }),
    onPlan: (planned) => {
      plan = planned
    },
  }
  try {
    const summary = await importManifest(database, manifest, importOptions)
    return { summary, plan, places: await locate(places.three) }
  } finally {
    display.clear()
    for (const line of [...warnings.describe('warning: '), ...skipped.describe('skipped: ')]) printNotice(line)
  }
}

function questionAbout({ kind, slug, count, total }: LargeChange): string {
  const items = `${count} of the ${total} items of the dataset ${slug}`
  return kind === 'moves'
    ? `The files move ${items} that stay by more than a kilometre. Move them?`
    : `The files lack ${items}. Remove them?`
}

/** Prints what differs. An import may change who can read the dataset, so a script finds the members of the dataset on stderr. */
function printPlan(plan: DatasetChanges, summary: ImportSummary, { json, dryRun }: Options): void {
  if (!json) printChanges(plan, summary)
  else if (!dryRun) for (const line of describeMembers(plan.dataset)) printNotice(`${summary.slug}: ${line}`)
}

/** Prints the places of a dry run and the counts. They end with the reason why nothing was removed, which scripts find on stderr. */
function printSummary(
  { unidentified, ...summary }: ImportSummary,
  plan: DatasetChanges | undefined,
  places: readonly Located[],
  { json, dryRun, keepMissing }: Options,
): void {
  const kept =
    unidentified > 0 && !keepMissing
      ? `items that are not in the file were kept: ${unidentified === 1 ? '1 skipped row has' : `${unidentified} skipped rows have`} no readable key`
      : ''
  if (json) {
    if (kept !== '') printNotice(`${summary.slug}: ${kept}`)
    printJson(dryRun ? { ...summary, dryRun, changes: plan, places } : summary)
  } else {
    printPlaces(places)
    printLine([counts(summary), kept].filter(Boolean).join('; ') + (dryRun ? ' (dry run: nothing was changed)' : ''))
  }
}

type Counts = Omit<ImportSummary, 'unidentified'>

function counts({ slug, created, updated, unchanged, removed, skipped }: Counts): string {
  return `${slug}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${removed} removed, ${skipped} skipped`
}

/** Prints the number of valid keys that may read a dataset, and the command that creates another one. */
async function printReaders({ prisma }: Database, { datasetId, slug }: ImportSummary): Promise<void> {
  const now = new Date()
  const dataset = await prisma.dataset.findUniqueOrThrow({ where: { id: datasetId } })
  const keys = (await findValidKeys(prisma, now)).filter((key) => mayAccess(key, dataset, now)).length
  const readers = keys === 1 ? '1 key may read it' : `${keys} keys may read it`
  printLine(`${readers}; to let another: npx catalog keys create --name NAME --dataset ${slug}`)
}
