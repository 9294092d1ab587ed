import type { Prisma } from '../generated/prisma/client.ts'
import type { KeptDatasets, Known } from './datasets.ts'
import {
  countItems,
  fetchItemPages,
  fetchMarks,
  haveItemsBefore,
  type ItemOrder,
  type ItemOwner,
  type ItemSelection,
  type ItemWindow,
  type OwnerPosition,
  type Totals,
} from './items.ts'
import { ArgumentsLoader, listLoader, recordLoader } from './loaders.ts'
import { fetchNearbyPages, type NearbyWindow } from './nearby.ts'
import { searchNearby } from './nearby-search.ts'
import { MARK_STEP, type PageMarks } from './page-marks.ts'
import type { Reading } from './reading.ts'
import { type Dataset, toItem } from './records.ts'
import { isCheap, type PooledFetch } from './window-pool.ts'

/** The ways to the database. Within a request what is asked for together is one statement, and nothing is read twice. */
export type Sources = ReturnType<typeof createSources>

export interface SourceOptions {
  prisma: Prisma.TransactionClient
  /** Is told of every statement that is sent, and of every dataset that is met. */
  reading: Reading
  /** Datasets that are in memory; without it all are read. */
  kept?: KeptDatasets | undefined
  /** Where deep pages go on from; without it they are walked to. */
  marks?: PageMarks | undefined
  /** Reads together what several requests ask for; without it each reads for itself. */
  pooled?: PooledFetch | undefined
  totals: Totals
  nearbyCubes: boolean
}

/** Sources that read for the length of one request; they know nothing of access. */
export function createSources(options: SourceOptions) {
  const { prisma, reading, kept, marks, pooled, totals, nearbyCubes } = options
  const send = (isStamped = false) => {
    reading.send({ isStamped })
    return prisma
  }
  const readPooled: PooledFetch | undefined =
    pooled &&
    ((window, owner) => {
      reading.send({ isStamped: true })
      return pooled(window, owner)
    })
  const approach = async (window: ItemWindow, owners: readonly ItemOwner[]) => {
    const [owner] = owners
    const revision = owner && reading.revisionOf(owner.datasetId)
    if (!marks || !owner || revision === undefined || owners.length > 1 || window.offset < MARK_STEP) return window
    return marks.approach(window, owner, revision, async (after, steps) => {
      const walked = await fetchMarks(send(true), window, owner, { after, steps, step: MARK_STEP, totals })
      reading.confirm(owner.datasetId, walked.revision)
      return walked.revision === revision ? walked.marks : []
    })
  }
  return {
    ...datasetSources(prisma, reading, kept),
    itemsById: recordLoader(
      async (ids: string[]) => (await send().item.findMany({ where: { id: { in: ids } } })).map(toItem),
      (item) => item.id,
    ),
    imagesById: recordLoader(
      (ids: string[]) => send().image.findMany({ where: { id: { in: ids } } }),
      (image) => image.id,
    ),
    imagesByItemId: listLoader(
      (ids: string[]) =>
        send().image.findMany({ where: { itemId: { in: ids } }, orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] }),
      (image) => image.itemId,
    ),
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const [owner] = owners
      const pages =
        readPooled && owner && owners.length === 1 && isCheap(window)
          ? [await readPooled(window, owner)]
          : await fetchItemPages(send(true), await approach(window, owners), owners, totals)
      pages.forEach(({ revision }, index) => {
        reading.confirm(owners[index]?.datasetId ?? '', revision)
      })
      return pages
    }),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(send(), selection, owners, totals),
    ),
    itemsBefore: new ArgumentsLoader((order: ItemSelection & ItemOrder, positions: readonly OwnerPosition[]) =>
      haveItemsBefore(send(), order, positions),
    ),
    nearbyPages: new ArgumentsLoader(async (window: NearbyWindow, scopes: readonly string[][]) => {
      const [scope] = scopes
      // One statement for many searches at once; they are rare, and each would be several among the cubes.
      if (!nearbyCubes || !scope || scopes.length > 1) return fetchNearbyPages(send(), window, scopes)
      return [await searchNearby(send(), window, scope)]
    }),
  }
}

/** Datasets from memory, or else from the database; each that is met is noted at its revision. */
function datasetSources(prisma: Prisma.TransactionClient, reading: Reading, kept: KeptDatasets | undefined) {
  const byId = recordLoader(
    (ids: string[]) => prisma.dataset.findMany({ where: { id: { in: ids } } }),
    (dataset) => dataset.id,
  )
  const bySlug = recordLoader(
    (slugs: string[]) => prisma.dataset.findMany({ where: { slug: { in: slugs } } }),
    (dataset) => dataset.slug,
  )
  const readAll = () => prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] })
  const meet = ({ value, knownAt }: Known<Dataset>) => {
    reading.meet(value, knownAt)
    // Its items ask for it again, by id.
    byId.prime(value.id, value)
    return value
  }
  const find = async (name: string, read: () => Promise<Dataset | null>) => {
    const found = kept ? await kept.one(name, read) : await knownNow(read)
    return found && meet(found)
  }
  return {
    datasets: once(async () => {
      const { value, knownAt } = kept ? await kept.all(readAll) : { value: await readAll(), knownAt: performance.now() }
      return value.map((dataset) => meet({ value: dataset, knownAt }))
    }),
    datasetById: (id: string) => find(id, () => byId.load(id)),
    datasetBySlug: (slug: string) => find(slug, () => bySlug.load(slug)),
  }
}

async function knownNow(read: () => Promise<Dataset | null>): Promise<Known<Dataset> | null> {
  const value = await read()
  return value && { value, knownAt: performance.now() }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
