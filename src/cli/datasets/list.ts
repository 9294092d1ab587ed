import { Command } from 'commander'
import { withDatabase } from '../database.ts'
import { printJson, printLine, printTable } from '../print.ts'
import { type DatasetSummary, summarizeDatasets } from './summary.ts'

export function listCommand(): Command {
  return new Command('list')
    .description('list all datasets, each with the number of its items and of the keys that may access it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog datasets list')
    .action(run)
}

/** The members of a dataset that have the same few words in each list. */
function briefly({
  id,
  slug,
  name,
  status,
  visibility,
  accessTier,
  items,
  keys,
  createdAt,
  updatedAt,
}: DatasetSummary) {
  return { id, slug, name, status, visibility, accessTier, items, keys, createdAt, updatedAt }
}

async function run({ json }: { json?: true }): Promise<void> {
  const datasets = await withDatabase(({ prisma }) => summarizeDatasets(prisma, new Date()))
  if (json) printJson(datasets.map(briefly))
  else if (datasets.length === 0) printLine('There are no datasets. Import one: npx catalog import MANIFEST')
  else {
    printTable(
      ['SLUG', 'NAME', 'STATUS', 'VISIBILITY', 'TIER', 'ITEMS', 'KEYS', 'UPDATED'],
      datasets.map(({ slug, name, status, visibility, accessTier, items, keys, updatedAt }) => [
        ...[slug, name, status, visibility, accessTier ?? '-', String(items), String(keys), updatedAt.toISOString()],
      ]),
    )
  }
}
