import { resolveDataset } from '../../auth/names.ts'
import type { Database } from '../../database/database.ts'
import { renewStatistics } from '../../database/statistics.ts'
import { operationFailed } from '../../errors/errors.ts'
import { findKnownDataset, findLastEntry, type KnownDataset } from '../../history/entries.ts'
import { askBetween, describeLargeChange, type LargeChange } from '../../import/large-change.ts'
import { type UndoSummary, undoLastEntry } from '../../import/undo.ts'
import type { SqlSession } from '../../sql.ts'
import { describeMembers } from '../changes.ts'
import { CatalogCommand } from '../command.ts'
import { canAsk, confirm } from '../confirm.ts'
import { commandOrigin, withDatabase } from '../database.ts'
import { ALLOW_MOVES, ALLOW_REMOVALS, DATASET_NAMES } from '../options.ts'
import { counted, printLine } from '../print.ts'

const toJson = ({ undone, redone, ...summary }: UndoSummary) => ({
  ...summary,
  ...{ undone: Number(undone), redone: redone === null ? null : Number(redone) },
})

interface Options {
  overwrite?: boolean
  allowRemovals?: true
  allowMoves?: true
}

export const undoCommand = new CatalogCommand('undo')
  .argument('<slug>', DATASET_NAMES)
  .option('--overwrite', 'also overwrite what others have changed since, for example with psql')
  .option(...ALLOW_REMOVALS)
  .option(...ALLOW_MOVES)
  .example('npx catalog undo museums')
  .printing({
    run: (text: string, options: Options) => undo(text, options),
    print: ({ slug, undone, redone, exists, dataset, grants, created, updated, removed }) => {
      for (const line of describeMembers(dataset)) printLine(`dataset: ${line}`)
      const entry = redone === null ? '' : `, the undo of entry ${redone},`
      const back = grants === 0 ? '' : `; ${counted(grants, 'grant')} came back`
      const state = exists ? back : '; the dataset is removed, because the change had created it'
      printLine(
        `${slug}: entry ${undone}${entry} is undone: ${created} created, ${updated} updated, ${removed} removed${state}`,
      )
      if (!exists) printLine(`To bring it back: npx catalog datasets restore ${slug}`)
      if (redone !== null) printLine(`So the change of entry ${redone} is back. An undo goes back by one change only`)
    },
    toJson,
  })

/** `catalog datasets restore`. */
export const restoreDatasetCommand = new CatalogCommand('restore')
  .description('bring back a removed dataset with its items, images, labels and grants')
  .argument('<removed>', 'slug or id of the removed dataset')
  .example('npx catalog datasets restore museums')
  .printing({
    run: (text: string) =>
      undo(text, {}, ({ slug, exists }) => {
        const former = `go back to its former state with: npx catalog undo ${slug}`
        if (exists) throw operationFailed(`The dataset ${slug} exists; ${former}`)
      }),
    print: ({ slug, created, grants }) =>
      printLine(`The dataset ${slug} is restored, with ${counted(created, 'item')} and ${counted(grants, 'grant')}`),
    toJson,
  })

const ask = async (change: LargeChange) => canAsk() && confirm(`This ${describeLargeChange(change)}. Undo the change?`)

async function undo(
  text: string,
  { overwrite = false, allowRemovals, allowMoves }: Options,
  check?: (dataset: KnownDataset) => void,
): Promise<UndoSummary> {
  const questions = { ...(!allowRemovals && { removals: ask }), ...(!allowMoves && { moves: ask }) }
  return withDatabase((database) =>
    database.withSession(async (session) => {
      const dataset = await findDataset(database, session, text)
      check?.(dataset)
      const entry = await findLastEntry(session, dataset.id)
      const rows = entry ? entry.created + entry.updated + entry.removed : 0
      return askBetween(questions, (allowed) =>
        database.withReadersOnCopy(session, rows, async () => {
          const summary = await undoLastEntry(session, dataset, { ...commandOrigin(), overwrite, allowed })
          await renewStatistics(session)
          return summary
        }),
      )
    }),
  )
}

/**
 * Finds a dataset by its slug or id, also one that was removed, or as the other commands find it.
 * @throws `OPERATION_FAILED` if no dataset or several datasets match, or if it was renamed
 */
export async function findDataset({ prisma }: Database, session: SqlSession, text: string): Promise<KnownDataset> {
  const known = await findKnownDataset(session, text)
  return known ?? { ...(await resolveDataset(prisma, text)), exists: true }
}
