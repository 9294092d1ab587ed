import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'
import { recordLoader } from './batching.ts'
import type { DatasetCache, Timed } from './dataset-cache.ts'
import type { ReadLog } from './read-log.ts'

/** Loads datasets from the cache or the database, and logs the revision of each. */
export function datasetLoaders(
  prisma: Prisma.TransactionClient,
  readLog: ReadLog,
  datasetCache: DatasetCache | undefined,
) {
  const byId = recordLoader(
    (ids: string[]) => prisma.dataset.findMany({ where: { id: { in: ids } } }),
    (dataset) => dataset.id,
  )
  const bySlug = recordLoader(
    (slugs: string[]) => prisma.dataset.findMany({ where: { slug: { in: slugs } } }),
    (dataset) => dataset.slug,
  )
  const readAll = () => prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] })
  const observe = ({ value, readAtMs }: Timed<Dataset>) => {
    readLog.observe(value, readAtMs)
    // The resolvers of the dataset's items load it by id.
    byId.prime(value.id, value)
    return value
  }
  const find = async (idOrSlug: string, read: () => Promise<Dataset | null>) => {
    const found = datasetCache ? await datasetCache.one(idOrSlug, read) : await readNow(read)
    return found && observe(found)
  }
  return {
    datasets: once(async () => {
      const { value, readAtMs } = datasetCache
        ? await datasetCache.all(readAll)
        : { value: await readAll(), readAtMs: performance.now() }
      return value.map((dataset) => observe({ value: dataset, readAtMs }))
    }),
    datasetById: (id: string) => find(id, () => byId.load(id)),
    datasetBySlug: (slug: string) => find(slug, () => bySlug.load(slug)),
  }
}

async function readNow(read: () => Promise<Dataset | null>): Promise<Timed<Dataset> | null> {
  const value = await read()
  return value && { value, readAtMs: performance.now() }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
