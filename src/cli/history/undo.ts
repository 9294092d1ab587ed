import type { Database } from '../../database/database.ts'
import { renewStatistics } from '../../database/statistics.ts'
import { operationFailed } from '../../errors/errors.ts'
import { findLastEntry, type KnownDataset } from '../../history/entries.ts'
import { type UndoSummary, undoLastEntry } from '../../import/undo/undo.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { commandOrigin } from '../origin.ts'
import { printLine } from '../print.ts'
import { findDataset } from './find-dataset.ts'

export const undoCommand = new CatalogCommand('undo')
  .argument('<slug>', DATASET_NAMES)
  .option('--overwrite', 'also overwrite what others have changed since, for example with psql')
  .example('npx catalog undo museums')
  .printing({
    run: (text: string, { overwrite }: { overwrite?: true }) =>
      withDatabase((database) => runUndo(database, text, overwrite ?? false, () => {})),
    print: ({ slug, undone, exists, created, updated, removed }) => {
      const state = exists ? '' : '; the dataset is removed, because the change had created it'
      printLine(
        `${slug}: entry ${undone} is undone: ${created} created, ${updated} updated, ${removed} removed${state}`,
      )
    },
    toJson,
  })

/** `catalog datasets restore`. */
export const restoreDatasetCommand = new CatalogCommand('restore')
  .description('bring back a removed dataset with its items, images, labels and grants')
  .argument('<removed>', 'slug or id of the removed dataset')
  .example('npx catalog datasets restore museums')
  .printing({
    run: restore,
    print: ({ slug, created }) => printLine(`The dataset ${slug} is restored, with ${created} items`),
    toJson,
  })

async function restore(text: string): Promise<UndoSummary> {
  return withDatabase((database) =>
    runUndo(database, text, false, ({ slug, exists }) => {
      if (exists)
        throw operationFailed(`The dataset ${slug} exists; go back to its former state with: npx catalog undo ${slug}`)
    }),
  )
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
    return database.withReadersOnCopy(session, rows, async () => {
      const summary = await undoLastEntry(session, dataset, { ...commandOrigin(), overwrite })
      await renewStatistics(session)
      return summary
    })
  })
}

function toJson({ undone, ...summary }: UndoSummary) {
  return { ...summary, undone: Number(undone) }
}
