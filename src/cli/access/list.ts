import { Command } from 'commander'
import { explainAccess } from '../../auth/explain-access.ts'
import { withDatabase } from '../database.ts'
import { JSON_OPTION, KEY } from '../keys/options.ts'
import { printJson, printLine, printTable } from '../print.ts'
import { findExplainedKey } from './explained-key.ts'

export function listCommand(): Command {
  return new Command('list')
    .description('list all datasets, and say for each whether a key may access it, and why')
    .argument(...KEY)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog access list app')
    .action(list)
}

async function list(keyText: string, { json }: { json?: true }): Promise<void> {
  const now = new Date()
  const rows = await withDatabase(async ({ prisma }) => {
    const key = await findExplainedKey(prisma, keyText)
    const datasets = await prisma.dataset.findMany({ orderBy: { slug: 'asc' } })
    return datasets.map((dataset) => ({ dataset: dataset.slug, ...explainAccess(key, dataset, now) }))
  })
  if (json) return printJson(rows)
  if (rows.length === 0) return printLine('There are no datasets. Import one: npx catalog import MANIFEST')
  printTable(
    ['DATASET', 'ACCESS', 'SINCE', 'UNTIL', 'BECAUSE'],
    rows.map(({ dataset, mayAccess, since, until, reason }) => [
      ...[dataset, mayAccess ? 'yes' : 'no', since?.toISOString() ?? '-', until?.toISOString() ?? '-', reason],
    ]),
  )
}
