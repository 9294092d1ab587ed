import type DataLoader from 'dataloader'
import { accessDenied, notFound } from '../errors.ts'
import type { Dataset, Image, Item, Prisma, PrismaClient } from '../generated/prisma/client.ts'
import { type Access, mayAccess } from './access.ts'
import {
  DEFAULTS,
  type ItemConnectionArguments,
  type ItemListArguments,
  isSlug,
  isUuid,
  type NearbyArguments,
  type PageArguments,
} from './arguments.ts'
import { createConnection, type ItemConnection } from './connection.ts'
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
import { type Circle, countNearby, fetchNearbyPages, type NearbyItem, type NearbyWindow } from './nearby.ts'
import { createPage, type Page } from './page.ts'

/** Something with a UUID, and what it is. */
export type CatalogNode = ({ type: 'Dataset' } & Dataset) | ({ type: 'Item' } & Item) | ({ type: 'Image' } & Image)

/** Reads from the catalog as it is at one moment. */
export type ReadCatalog = <Result>(read: (catalog: Catalog) => Promise<Result>) => Promise<Result>

const SNAPSHOT_TIMEOUT_MS = 20_000
const SNAPSHOT_WAIT_MS = 5_000

/**
 * Gives the way for one API key to read: all of a read's statements see the same state of the database, so that no answer has
 * one half from before an import and the other from after it.
 */
export function catalogReader(prisma: PrismaClient, access: Access, now: Date): ReadCatalog {
  const options = { isolationLevel: 'RepeatableRead', timeout: SNAPSHOT_TIMEOUT_MS, maxWait: SNAPSHOT_WAIT_MS } as const
  return (read) => prisma.$transaction((snapshot) => read(new Catalog(snapshot, access, now)), options)
}

/**
 * All that one API key may read, for the length of one request. What is asked for together is read in one statement, and
 * nothing is read twice. An item in hand is one that the key may access, and so are its dataset, parent, children and
 * images: access is checked where a dataset or item is first reached by name, id or place.
 */
export class Catalog {
  readonly #access: Access
  readonly #now: Date
  readonly #allDatasets: () => Promise<Dataset[]>
  readonly #datasetsById: DataLoader<string, Dataset | null>
  readonly #datasetsBySlug: DataLoader<string, Dataset | null>
  readonly #itemsById: DataLoader<string, Item | null>
  readonly #imagesById: DataLoader<string, Image | null>
  readonly #imagesByItemId: DataLoader<string, Image[]>
  readonly #itemPages: ArgumentsLoader<ItemWindow, ItemOwner, Item[]>
  readonly #itemCounts: ArgumentsLoader<ItemSelection, ItemOwner, number>
  readonly #itemsBefore: ArgumentsLoader<ItemSelection & ItemOrder, OwnerPosition, boolean>
  readonly #nearbyPages: ArgumentsLoader<NearbyWindow, string[], NearbyItem[]>
  readonly #nearbyCounts: ArgumentsLoader<Circle, string[], number>

  constructor(prisma: Prisma.TransactionClient, access: Access, now: Date) {
    this.#access = access
    this.#now = now
    this.#allDatasets = once(() => prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] }))
    this.#datasetsById = recordLoader(
      (ids) => prisma.dataset.findMany({ where: { id: { in: ids } } }),
      (dataset) => dataset.id,
    )
    this.#datasetsBySlug = recordLoader(
      (slugs) => prisma.dataset.findMany({ where: { slug: { in: slugs } } }),
      (dataset) => dataset.slug,
    )
    this.#itemsById = recordLoader(
      (ids) => prisma.item.findMany({ where: { id: { in: ids } } }),
      (item) => item.id,
    )
    this.#imagesById = recordLoader(
      (ids) => prisma.image.findMany({ where: { id: { in: ids } } }),
      (image) => image.id,
    )
    this.#imagesByItemId = listLoader(
      (ids) =>
        prisma.image.findMany({ where: { itemId: { in: ids } }, orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] }),
      (image) => image.itemId,
    )
    this.#itemPages = new ArgumentsLoader((window, owners) => fetchItemPages(prisma, window, owners))
    this.#itemCounts = new ArgumentsLoader((selection, owners) => countItems(prisma, selection, owners))
    this.#itemsBefore = new ArgumentsLoader((order, positions) => haveItemsBefore(prisma, order, positions))
    this.#nearbyPages = new ArgumentsLoader((window, scopes) => fetchNearbyPages(prisma, window, scopes))
    this.#nearbyCounts = new ArgumentsLoader((circle, scopes) => countNearby(prisma, circle, scopes))
  }

  /** The datasets that the key may access, by name, then id. */
  async datasets(): Promise<Dataset[]> {
    return (await this.#allDatasets()).filter((dataset) => this.#mayAccess(dataset))
  }

  /**
   * A dataset by its UUID or slug.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`
   */
  async dataset(idOrSlug: string): Promise<Dataset> {
    const dataset = await this.#findDataset(idOrSlug)
    if (!dataset) throw notFound('dataset')
    if (!this.#mayAccess(dataset)) throw accessDenied()
    return dataset
  }

  /**
   * An item by its UUID.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`
   */
  async item(id: string): Promise<Item> {
    const item = isUuid(id) ? await this.#itemsById.load(id.toLowerCase()) : null
    if (!item) throw notFound('item')
    if (!this.#mayAccess(await this.datasetOf(item))) throw accessDenied()
    return item
  }

  /** The dataset, item or image of each UUID, null where there is none that the key may access. */
  async nodes(ids: readonly string[]): Promise<(CatalogNode | null)[]> {
    return Promise.all(ids.map((id) => (isUuid(id) ? this.#findNode(id.toLowerCase()) : null)))
  }

  /** The dataset that owns an item. */
  async datasetOf({ datasetId }: Item): Promise<Dataset> {
    const dataset = await this.#datasetsById.load(datasetId)
    // The item was read a moment ago: an import has removed its dataset since.
    if (!dataset) throw notFound('dataset')
    return dataset
  }

  /** The parent of an item, null for a root item. */
  async parentOf({ parentItemId }: Item): Promise<Item | null> {
    return parentItemId === null ? null : this.#itemsById.load(parentItemId)
  }

  /** The images of an item, by `sortOrder`, then id. */
  imagesOf({ id }: Item): Promise<Image[]> {
    return this.#imagesByItemId.load(id)
  }

  /** A page of a dataset's items. */
  itemsOf(dataset: Dataset, args: ItemListArguments): Page<Item> {
    const { page, limit, sort, order } = args
    const { owner, selection } = selectItems(dataset, args)
    return this.#itemPage(owner, selection, { sort, order }, { page, limit })
  }

  /**
   * A connection of a dataset's items.
   * @throws `VALIDATION_FAILED` for a cursor of another list
   */
  itemConnectionOf(dataset: Dataset, args: ItemConnectionArguments): ItemConnection {
    const { owner, selection } = selectItems(dataset, args)
    return createConnection(owner, selection, args, {
      fetch: (window) => this.#itemPages.load(window, owner),
      hasBefore: (order, position) => this.#itemsBefore.load(order, { ...owner, ...position }),
      count: () => this.#itemCounts.load(selection, owner),
    })
  }

  /** A page of an item's children, by name, then id. */
  childrenOf({ id, datasetId }: Item, paging: PageArguments): Page<Item> {
    const { sort, order } = DEFAULTS
    return this.#itemPage({ datasetId, parentItemId: id }, { among: 'children' }, { sort, order }, paging)
  }

  /**
   * A page of the items around a point, nearest first, in one dataset or in all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async nearby({ datasetId, ...args }: NearbyArguments): Promise<Page<NearbyItem>> {
    const datasets = datasetId === undefined ? await this.datasets() : [await this.dataset(datasetId)]
    return this.nearbyIn(datasets, args)
  }

  /** A page of the items around a point, nearest first, in datasets that the key may access. */
  nearbyIn(datasets: readonly Dataset[], args: Omit<NearbyArguments, 'datasetId'>): Page<NearbyItem> {
    const { page, limit, ...circle } = args
    const scope = datasets.map((dataset) => dataset.id)
    return createPage({
      page,
      limit,
      fetch: (offset) => this.#nearbyPages.load({ ...circle, limit, offset }, scope),
      count: () => this.#nearbyCounts.load(circle, scope),
    })
  }

  #itemPage(owner: ItemOwner, selection: ItemSelection, order: ItemOrder, paging: PageArguments): Page<Item> {
    const { limit } = paging
    return createPage({
      ...paging,
      fetch: (offset) => this.#itemPages.load({ ...selection, ...order, limit, offset }, owner),
      count: () => this.#itemCounts.load(selection, owner),
    })
  }

  async #findNode(id: string): Promise<CatalogNode | null> {
    const [dataset, item, image] = await Promise.all([
      this.#datasetsById.load(id),
      this.#itemsById.load(id),
      this.#imagesById.load(id),
    ])
    if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null
    const owner = item ?? (image && (await this.#itemsById.load(image.itemId)))
    if (!owner || !this.#mayAccess(await this.datasetOf(owner))) return null
    return item ? { type: 'Item', ...item } : image && { type: 'Image', ...image }
  }

  async #findDataset(idOrSlug: string): Promise<Dataset | null> {
    if (isUuid(idOrSlug)) return this.#datasetsById.load(idOrSlug.toLowerCase())
    const dataset = isSlug(idOrSlug) ? await this.#datasetsBySlug.load(idOrSlug) : null
    // Its items ask for it again, by id.
    if (dataset) this.#datasetsById.prime(dataset.id, dataset)
    return dataset
  }

  #mayAccess(dataset: Dataset): boolean {
    return mayAccess(this.#access, dataset, this.#now)
  }
}

/** Whose items a list of a dataset shows, and which. */
function selectItems({ id }: Dataset, args: Omit<ItemListArguments, keyof PageArguments>) {
  const { parentItemId, administrativeAreaCode, categoryCode } = args
  const among = parentItemId === undefined ? 'all' : parentItemId === null ? 'roots' : 'children'
  const owner: ItemOwner = { datasetId: id, parentItemId: parentItemId ?? null }
  const selection: ItemSelection = { among, administrativeAreaCode, categoryCode }
  return { owner, selection }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
