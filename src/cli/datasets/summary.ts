import { findValidKeys } from '../../auth/keys.ts'
import { mayAccess } from '../../catalog/access.ts'
import { operationFailed } from '../../errors/errors.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'

/** All datasets by name, or the one with the id. `keys` is the number of valid keys that may access the dataset at `now`. */
export async function summarizeDatasets(prisma: PrismaClient, now: Date, id?: string) {
  const keys = await findValidKeys(prisma, now)
  const datasets = await prisma.dataset.findMany({
    ...(id !== undefined && { where: { id } }),
    include: { _count: { select: { items: true } } },
    omit: { revision: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  })
  return datasets.map(({ _count, createdAt, updatedAt, ...dataset }) => ({
    ...dataset,
    items: _count.items,
    keys: keys.filter((key) => mayAccess(key, dataset, now)).length,
    createdAt,
    updatedAt,
  }))
}

/** @throws `OPERATION_FAILED` if there is no dataset with the id any more */
export async function summarizeDataset(prisma: PrismaClient, id: string): Promise<DatasetSummary> {
  const [dataset] = await summarizeDatasets(prisma, new Date(), id)
  if (!dataset) throw operationFailed('The dataset has been removed')
  return dataset
}

export type DatasetSummary = Awaited<ReturnType<typeof summarizeDatasets>>[number]
