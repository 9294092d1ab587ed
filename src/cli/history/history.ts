import { Command } from 'commander'
import { type HistoryEntry, listHistory } from '../../import/history/entries.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { printJson, printLine, printTable } from '../print.ts'
import { findDataset } from './find-dataset.ts'
import { showEntryCommand } from './show.ts'

export function historyCommand(): Command {
  return new Command('history')
    .argument('[slug]', DATASET_NAMES)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog history museums')
    .action(list)
    .addCommand(showEntryCommand())
}

async function list(text: string | undefined, { json }: { json?: true }): Promise<void> {
  const entries = await withDatabase((database) =>
    database.withSession(async (session) => {
      const dataset = text === undefined ? undefined : await findDataset(database, session, text)
      return listHistory(session, dataset?.id)
    }),
  )
  if (json) printJson(entries.map(describeEntry))
  else if (entries.length === 0) printLine('There are no changes yet')
  else {
    printTable(
      ['ID', 'AT', 'SLUG', 'ACTION', 'CREATED', 'UPDATED', 'REMOVED', 'UNDO', 'COMMAND'],
      entries.map((entry) => [
        ...[entry.id, entry.at.toISOString(), entry.slug, actionOf(entry)],
        ...[entry.created, entry.updated, entry.removed].map(String),
        ...[entry.canUndo ? 'yes' : 'no', entry.command === '' ? '-' : entry.command],
      ]),
    )
  }
}

const actionOf = ({ action, undoneId }: HistoryEntry) => (undoneId === null ? action : `${action} of ${undoneId}`)

/** An entry for JSON. */
function describeEntry({ id, undoneId, ...entry }: HistoryEntry) {
  return { id: Number(id), ...entry, undoneId: undoneId === null ? null : Number(undoneId) }
}
