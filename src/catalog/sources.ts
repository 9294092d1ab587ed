import type { Prisma } from '../generated/prisma/client.ts'
import {
  countItems,
  fetchItemPages,
  haveItemsBefore,
  type ItemOrder,
  type ItemOwner,
  type ItemSelection,
  type ItemWindow,
  type OwnerPosition,
} from './items.ts'
import { ArgumentsLoader, listLoader, recordLoader } from './loaders.ts'
import { type Circle, countNearby, fetchNearbyPages, type NearbyWindow } from './nearby.ts'

/** The ways to the database. Within a request what is asked for together is one statement, and nothing is read twice. */
export type Sources = ReturnType<typeof createSources>

/** Sources that read by `prisma`, for the length of one request; they know nothing of access. */
export function createSources(prisma: Prisma.TransactionClient) {
  return {
    datasets: once(() => prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] })),
    datasetsById: recordLoader(
      (ids: string[]) => prisma.dataset.findMany({ where: { id: { in: ids } } }),
      (dataset) => dataset.id,
    ),
    datasetsBySlug: recordLoader(
      (slugs: string[]) => prisma.dataset.findMany({ where: { slug: { in: slugs } } }),
      (dataset) => dataset.slug,
    ),
    itemsById: recordLoader(
      (ids: string[]) => prisma.item.findMany({ where: { id: { in: ids } } }),
      (item) => item.id,
    ),
    imagesById: recordLoader(
      (ids: string[]) => prisma.image.findMany({ where: { id: { in: ids } } }),
      (image) => image.id,
    ),
    imagesByItemId: listLoader(
      (ids: string[]) =>
        prisma.image.findMany({ where: { itemId: { in: ids } }, orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] }),
      (image) => image.itemId,
    ),
    itemPages: new ArgumentsLoader((window: ItemWindow, owners: readonly ItemOwner[]) =>
      fetchItemPages(prisma, window, owners),
    ),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(prisma, selection, owners),
    ),
    itemsBefore: new ArgumentsLoader((order: ItemSelection & ItemOrder, positions: readonly OwnerPosition[]) =>
      haveItemsBefore(prisma, order, positions),
    ),
    nearbyPages: new ArgumentsLoader((window: NearbyWindow, scopes: readonly string[][]) =>
      fetchNearbyPages(prisma, window, scopes),
    ),
    nearbyCounts: new ArgumentsLoader((circle: Circle, scopes: readonly string[][]) =>
      countNearby(prisma, circle, scopes),
    ),
  }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
