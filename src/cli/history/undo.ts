import { Command } from 'commander'
import type { Database } from '../../database/database.ts'
import { operationFailed } from '../../errors.ts'
import { findLastEntry, type KnownDataset } from '../../import/history/entries.ts'
import { type UndoSummary, undoLastEntry } from '../../import/history/undo.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { commandOrigin } from '../origin.ts'
import { printJson, printLine } from '../print.ts'
import { findDataset } from './find-dataset.ts'

interface Options {
  overwrite?: true
  json?: true
}

export function undoCommand(): Command {
  return new Command('undo')
    .argument('<slug>', DATASET_NAMES)
    .option('--overwrite', 'also overwrite what others have changed since, for example with psql')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog undo museums')
    .action(undo)
}

/** `catalog datasets restore`. */
export function restoreDatasetCommand(): Command {
  return new Command('restore')
    .description('bring back a removed dataset with its items, images, labels and grants')
    .argument('<removed>', 'slug or id of the removed dataset')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog datasets restore museums')
    .action(restore)
}

async function undo(text: string, { overwrite, json }: Options): Promise<void> {
  const summary = await withDatabase((database) => runUndo(database, text, overwrite ?? false, () => {}))
  if (json) return printSummary(summary)
  const { slug, undone, exists, created, updated, removed } = summary
  const state = exists ? '' : '; the dataset is removed, because the change had created it'
  printLine(`${slug}: entry ${undone} is undone: ${created} created, ${updated} updated, ${removed} removed${state}`)
}

async function restore(text: string, { json }: Options): Promise<void> {
  const summary = await withDatabase((database) =>
    runUndo(database, text, false, ({ slug, exists }) => {
      if (exists)
        throw operationFailed(`The dataset ${slug} exists; go back to its former state with: npx catalog undo ${slug}`)
    }),
  )
  if (json) printSummary(summary)
  else printLine(`The dataset ${summary.slug} is restored, with ${summary.created} items`)
}

async function runUndo(
  database: Database,
  text: string,
  overwrite: boolean,
  check: (dataset: KnownDataset) => void,
): Promise<UndoSummary> {
  return database.withSession(async (session) => {
    const dataset = await findDataset(database, session, text)
    check(dataset)
    const entry = await findLastEntry(session, dataset.id)
    const rows = entry ? entry.created + entry.updated + entry.removed : 0
    return database.withReadersOnCopy(session, rows, () =>
      undoLastEntry(session, dataset, { ...commandOrigin(), overwrite }),
    )
  })
}

function printSummary({ undone, ...summary }: UndoSummary): void {
  printJson({ ...summary, undone: Number(undone) })
}
