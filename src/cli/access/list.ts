import { explainAccess } from '../../auth/explain-access.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { NO_DATASETS } from '../datasets/list.ts'
import { KEY } from '../keys/options.ts'
import { printTable } from '../print.ts'
import { findExplainedKey } from './explained-key.ts'

export const listCommand = new CatalogCommand('list')
  .description('list all datasets, and say for each whether a key may access it, and why')
  .argument(...KEY)
  .example('npx catalog access list app')
  .printing({ run: list, print: printList })

async function list(keyText: string) {
  const now = new Date()
  return withDatabase(async ({ prisma }) => {
    const key = await findExplainedKey(prisma, keyText)
    const datasets = await prisma.dataset.findMany({ orderBy: { slug: 'asc' } })
    return datasets.map((dataset) => ({ dataset: dataset.slug, ...explainAccess(key, dataset, now) }))
  })
}

function printList(rows: Awaited<ReturnType<typeof list>>): void {
  printTable(
    ['DATASET', 'ACCESS', 'SINCE', 'UNTIL', 'BECAUSE'],
    rows.map(({ dataset, mayAccess, since, until, reason }) => [
      ...[dataset, mayAccess ? 'yes' : 'no', since?.toISOString() ?? '-', until?.toISOString() ?? '-', reason],
    ]),
    NO_DATASETS,
  )
}
