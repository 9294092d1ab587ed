import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { printTable } from '../print.ts'
import { type DatasetSummary, summarizeDatasets } from './summary.ts'

export const NO_DATASETS = 'There are no datasets. Import one: npx catalog import MANIFEST'

export const listCommand = new CatalogCommand('list')
  .description('list all datasets, each with the number of its items and of the keys that may access it')
  .example('npx catalog datasets list')
  .printing({
    run: () => withDatabase(({ prisma }) => summarizeDatasets(prisma, new Date())),
    print: printList,
    toJson: (datasets) => datasets.map((dataset) => Object.fromEntries(BRIEF.map((name) => [name, dataset[name]]))),
  })

/** The members of a dataset that have the same few words in each list. */
const BRIEF = [
  ...(['id', 'slug', 'name', 'status', 'visibility'] as const),
  ...(['accessTier', 'items', 'keys', 'createdAt', 'updatedAt'] as const),
]

function printList(datasets: readonly DatasetSummary[]): void {
  printTable(
    ['SLUG', 'NAME', 'STATUS', 'VISIBILITY', 'TIER', 'ITEMS', 'KEYS', 'UPDATED'],
    datasets.map(({ slug, name, status, visibility, accessTier, items, keys, updatedAt }) => [
      ...[slug, name, status, visibility, accessTier ?? '-', String(items), String(keys), updatedAt.toISOString()],
    ]),
    NO_DATASETS,
  )
}
