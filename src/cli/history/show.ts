import { findEntry } from '../../history/entries.ts'
import { readEntryChanges } from '../../history/entry-changes.ts'
import { printChanges, SHOWN_EXAMPLES } from '../changes.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine } from '../print.ts'

export const showEntryCommand = new CatalogCommand('show')
  .description('show what a change did: its files, and examples of the items before and after')
  .argument('<id>', 'number of the entry, as catalog history shows it')
  .option('--json', 'print JSON, with all items')
  .example('npx catalog history show 12')
  .action(show)

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const { entry, changes } = await withDatabase(({ withSession }) =>
    withSession(async (session) => {
      const entry = await findEntry(session, id)
      return { entry, changes: await readEntryChanges(session, entry, json ? undefined : SHOWN_EXAMPLES) }
    }),
  )
  const { datasetBefore, datasetAfter, columns, revision, undoneId, ...head } = entry
  if (json)
    return printJson({ ...head, id: Number(id), undoneId: undoneId === null ? null : Number(undoneId), ...changes })
  printLine(
    `${entry.slug}: ${entry.action} at ${entry.at.toISOString()}${entry.command === '' ? '' : `, by ${entry.command}`}`,
  )
  for (const { name, size, sha256 } of entry.files) printLine(`file ${name}, ${size} bytes, SHA-256 ${sha256}`)
  printLine(`${entry.created} created, ${entry.updated} updated, ${entry.removed} removed`)
  if (!entry.canUndo) printLine('What it changed is no longer stored, so it cannot be undone')
  if (!datasetBefore && datasetAfter) printLine('The dataset was created')
  if (datasetBefore && !datasetAfter) printLine('The dataset was removed')
  printChanges(changes, head)
}
