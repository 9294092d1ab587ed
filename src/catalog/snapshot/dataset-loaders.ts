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
  const readAll = async () => timed(await prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] }))
  const observe = ({ value, readAtMs }: Timed<Dataset>) => {
    readLog.observe(value, readAtMs)
    // The resolvers of the dataset's items load it by id.
    byId.prime(value.id, value)
    return value
  }
  const find = async (idOrSlug: string, load: (key: string) => Promise<Dataset | null>) => {
    const read = async () => {
      const dataset = await load(idOrSlug)
      return dataset && timed(dataset)
    }
    const found = await (datasetCache ? datasetCache.one(idOrSlug, read) : read())
    return found && observe(found)
  }
  return {
    datasets: once(async () => {
      const { value, readAtMs } = await (datasetCache ? datasetCache.all(readAll) : readAll())
      return value.map((dataset) => observe({ value: dataset, readAtMs }))
    }),
    datasetById: (id: string) => find(id, (id) => byId.load(id)),
    datasetBySlug: (slug: string) => find(slug, (slug) => bySlug.load(slug)),
  }
}

/** A value that was read now. */
function timed<Value>(value: Value): Timed<Value> {
  return { value, readAtMs: performance.now() }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
