import { Command } from 'commander'
import { findValidKeys } from '../auth/keys.ts'
import { mayAccess } from '../catalog/access.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { withDatabase } from './database.ts'
import { printJson, printLine, printTable } from './print.ts'

export function datasetsCommand(): Command {
  return new Command('datasets')
    .description('list all datasets with their numbers of items and of keys that may access them')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog datasets')
    .action(run)
}

async function run({ json }: { json?: true }): Promise<void> {
  const datasets = await withDatabase(({ prisma }) => listDatasets(prisma, new Date()))
  if (json) printJson(datasets)
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

/** `keys` is the number of valid keys that may access the dataset. */
async function listDatasets(prisma: PrismaClient, now: Date) {
  const keys = await findValidKeys(prisma, now)
  const datasets = await prisma.dataset.findMany({
    include: { _count: { select: { items: true } } },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  })
  return datasets.map((dataset) => ({
    id: dataset.id,
    slug: dataset.slug,
    name: dataset.name,
    status: dataset.status,
    visibility: dataset.visibility,
    accessTier: dataset.accessTier,
    items: dataset._count.items,
    keys: keys.filter((key) => mayAccess(key, dataset, now)).length,
    createdAt: dataset.createdAt,
    updatedAt: dataset.updatedAt,
  }))
}
