import { type HistoryEntry, listHistory } from '../../history/entries.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { printTable } from '../print.ts'
import { findDataset } from './find-dataset.ts'
import { showEntryCommand } from './show.ts'

export const historyCommand = new CatalogCommand('history')
  .argument('[slug]', DATASET_NAMES)
  .example('npx catalog history museums')
  .printing({
    run: list,
    print: printEntries,
    toJson: (entries) => entries.map(describeEntry),
  })
  .addCommand(showEntryCommand)

async function list(text: string | undefined): Promise<HistoryEntry[]> {
  return withDatabase((database) =>
    database.withSession(async (session) => {
      const dataset = text === undefined ? undefined : await findDataset(database, session, text)
      return listHistory(session, dataset?.id)
    }),
  )
}

function printEntries(entries: readonly HistoryEntry[]): void {
  printTable(
    ['ID', 'AT', 'SLUG', 'ACTION', 'CREATED', 'UPDATED', 'REMOVED', 'UNDO', 'COMMAND'],
    entries.map((entry) => [
      ...[entry.id, entry.at.toISOString(), entry.slug, actionOf(entry)],
      ...[entry.created, entry.updated, entry.removed].map(String),
      ...[entry.canUndo ? 'yes' : 'no', entry.command === '' ? '-' : entry.command],
    ]),
    'There are no changes yet',
  )
}

const actionOf = ({ action, undoneId }: HistoryEntry) => (undoneId === null ? action : `${action} of ${undoneId}`)

/** An entry for JSON. */
function describeEntry({ id, undoneId, ...entry }: HistoryEntry) {
  return { id: Number(id), ...entry, undoneId: undoneId === null ? null : Number(undoneId) }
}
