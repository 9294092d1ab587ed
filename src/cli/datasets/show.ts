import { findValidKeys } from '../../auth/keys.ts'
import { resolveDataset } from '../../auth/names.ts'
import { mayAccess } from '../../catalog/access.ts'
import { operationFailed } from '../../errors/errors.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET } from '../options.ts'
import { printFacts, printTable } from '../print.ts'

export const NO_DATASETS = 'There are no datasets. Import one: npx catalog import MANIFEST'

export const listCommand = new CatalogCommand('list')
  .description('list all datasets, each with the number of its items and of the keys that may access it')
  .example('npx catalog datasets list')
  .printing({
    run: () => withDatabase(({ prisma }) => summarize(prisma)),
    print: (datasets) =>
      printTable(
        ['SLUG', 'NAME', 'STATUS', 'VISIBILITY', 'TIER', 'ITEMS', 'KEYS', 'UPDATED'],
        datasets.map(({ slug, name, status, visibility, accessTier, items, keys, updatedAt }) => [
          ...[slug, name, status, visibility, accessTier ?? '-', String(items), String(keys), updatedAt.toISOString()],
        ]),
        NO_DATASETS,
      ),
    // The members that have the same few words in each list.
    toJson: (datasets) =>
      datasets.map(({ id, slug, name, status, visibility, accessTier, items, keys, createdAt, updatedAt }) => ({
        ...{ id, slug, name, status, visibility, accessTier, items, keys, createdAt, updatedAt },
      })),
  })

export const showCommand = new CatalogCommand('show')
  .description('show one dataset with the number of its items and of the keys that may access it')
  .argument(...DATASET)
  .example('npx catalog datasets show museums')
  .printing({
    run: (text: string) =>
      withDatabase(async ({ prisma }) => {
        const { id } = await resolveDataset(prisma, text)
        return { ...(await summarizeDataset(prisma, id)), ...(await describeMirror(prisma, id)) }
      }),
    print: ({ mirror, ...dataset }) => {
      printDataset(dataset)
      if (!mirror) return
      const { origin, completeAt, lagSeconds, problem } = mirror
      printFacts(14, [
        ['copy of', origin],
        ['complete', `${completeAt.toISOString()}, ${lagSeconds} seconds ago`],
        ['problem', problem ?? '-'],
      ])
    },
  })

/** All datasets by name, or the one with the id. `keys` is the number of valid keys that may access the dataset. */
async function summarize(prisma: PrismaClient, id?: string) {
  const now = new Date()
  const keys = await findValidKeys(prisma, now)
  const datasets = await prisma.dataset.findMany({
    ...(id !== undefined && { where: { id } }),
    include: { _count: { select: { items: true } } },
    omit: { revision: true, epoch: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  })
  return datasets.map(({ _count, createdAt, updatedAt, ...dataset }) => ({
    ...{ ...dataset, items: _count.items, keys: keys.filter((key) => mayAccess(key, dataset, now)).length },
    ...{ createdAt, updatedAt },
  }))
}

/** Where a copy is from, and how old its last complete state is. A dataset that is no copy has no such member. */
async function describeMirror(prisma: PrismaClient, datasetId: string) {
  const mirror = await prisma.mirror.findUnique({ where: { datasetId } })
  if (!mirror) return {}
  const { origin, completeAt, problem } = mirror
  const lagSeconds = Math.round((Date.now() - completeAt.getTime()) / 1000)
  return { mirror: { origin, completeAt, lagSeconds, problem } }
}

export type DatasetSummary = Awaited<ReturnType<typeof summarize>>[number]

/** @throws `OPERATION_FAILED` if there is no dataset with the id any more */
export async function summarizeDataset(prisma: PrismaClient, id: string): Promise<DatasetSummary> {
  const [dataset] = await summarize(prisma, id)
  if (!dataset) throw operationFailed('The dataset has been removed')
  return dataset
}

/** Prints a dataset, one line for each field. */
export function printDataset(dataset: DatasetSummary): void {
  printFacts(14, [
    ['slug', dataset.slug],
    ['id', dataset.id],
    ['name', dataset.name],
    ['description', dataset.description ?? '-'],
    ['status', dataset.status],
    ['visibility', dataset.visibility],
    ['tier', dataset.accessTier ?? '-'],
    ['attribution', dataset.attribution],
    ['license', dataset.license ?? '-'],
    ['publisher', dataset.publisher ?? '-'],
    ['contact', dataset.contact ?? '-'],
    ['terms', dataset.termsUrl ?? '-'],
    ['source', dataset.sourceUrl ?? '-'],
    ['source date', dataset.sourceDate ?? '-'],
    ['changes', dataset.updateFrequency ?? '-'],
    ['items', String(dataset.items)],
    ['keys', `${dataset.keys} may access it`],
    ['created', dataset.createdAt.toISOString()],
    ['updated', dataset.updatedAt.toISOString()],
  ])
}
