import { findEntry, type HistoryEntry, listHistory, readEntryChanges } from '../../history/entries.ts'
import { printChanges, SHOWN_EXAMPLES } from '../changes.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../options.ts'
import { printJson, printLine, printTable } from '../print.ts'
import { findDataset } from './undo.ts'

const showCommand = new CatalogCommand('show')
  .description('show what a change did: its files, and examples of the items before and after')
  .argument('<id>', 'number of the entry, as catalog history shows it')
  .option('--json', 'print JSON, with all items')
  .example('npx catalog history show 12')
  .action(show)

export const historyCommand = new CatalogCommand('history')
  .argument('[slug]', DATASET_NAMES)
  .example('npx catalog history museums')
  .printing({ run: list, print: printEntries, toJson: (entries) => entries.map(withNumbers) })
  .adding(showCommand)

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
    entries.map(({ id, at, slug, action, undoneId, created, updated, removed, canUndo, command }) => [
      ...[id, at.toISOString(), slug, undoneId === null ? action : `${action} of ${undoneId}`],
      ...[created, updated, removed].map(String),
      ...[canUndo ? 'yes' : 'no', command === '' ? '-' : command],
    ]),
    'There are no changes yet',
  )
}

/** An entry for JSON. */
function withNumbers<Entry extends Pick<HistoryEntry, 'id' | 'undoneId'>>({ id, undoneId, ...entry }: Entry) {
  return { id: Number(id), ...entry, undoneId: undoneId === null ? null : Number(undoneId) }
}

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const { entry, changes } = await withDatabase(({ withSession }) =>
    withSession(async (session) => {
      const entry = await findEntry(session, id)
      return { entry, changes: await readEntryChanges(session, entry, json ? undefined : SHOWN_EXAMPLES) }
    }),
  )
  const { datasetBefore, datasetAfter, columns: _, revision: __, ...head } = entry
  if (json) return printJson({ ...withNumbers(head), ...changes })
  const { slug, action, at, command, files, created, updated, removed, isStored } = head
  printLine(`${slug}: ${action} at ${at.toISOString()}${command === '' ? '' : `, by ${command}`}`)
  for (const { name, size, sha256 } of files) printLine(`file ${name}, ${size} bytes, SHA-256 ${sha256}`)
  printLine(`${created} created, ${updated} updated, ${removed} removed`)
  if (!isStored) printLine('What it changed is no longer stored, so it cannot be undone')
  if (!datasetBefore && datasetAfter) printLine('The dataset was created')
  if (datasetBefore && !datasetAfter) printLine('The dataset was removed')
  printChanges(changes, head)
}
