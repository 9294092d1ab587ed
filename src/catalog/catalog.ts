import { accessDenied, notFound } from '../errors.ts'
import type { Dataset, Image, Item } from '../generated/prisma/client.ts'
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
import type { ItemOrder, ItemOwner, ItemSelection } from './items.ts'
import type { NearbyItem } from './nearby.ts'
import { createPage, type Page } from './page.ts'
import type { Sources } from './sources.ts'

/** Something with a UUID, and what it is. */
export type CatalogNode = ({ type: 'Dataset' } & Dataset) | ({ type: 'Item' } & Item) | ({ type: 'Image' } & Image)

/**
 * All that one API key may read, for the length of one request. What is asked for together is read in one statement, and
 * nothing is read twice. An item in hand is one that the key may access, and so are its dataset, parent, children and
 * images: access is checked where a dataset or item is first reached by name, id or place.
 */
export class Catalog {
  readonly #sources: Sources
  readonly #access: Access
  readonly #now: Date

  constructor(sources: Sources, access: Access, now: Date) {
    this.#sources = sources
    this.#access = access
    this.#now = now
  }

  /** The datasets that the key may access, by name, then id. */
  async datasets(): Promise<Dataset[]> {
    return (await this.#sources.datasets()).filter((dataset) => this.#mayAccess(dataset))
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
    const item = isUuid(id) ? await this.#sources.itemsById.load(id.toLowerCase()) : null
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
    const dataset = await this.#sources.datasetsById.load(datasetId)
    // The item was read a moment ago: an import has removed its dataset since.
    if (!dataset) throw notFound('dataset')
    return dataset
  }

  /** The parent of an item, null for a root item. */
  async parentOf({ parentItemId }: Item): Promise<Item | null> {
    return parentItemId === null ? null : this.#sources.itemsById.load(parentItemId)
  }

  /** The images of an item, by `sortOrder`, then id. */
  imagesOf({ id }: Item): Promise<Image[]> {
    return this.#sources.imagesByItemId.load(id)
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
      fetch: (window) => this.#sources.itemPages.load(window, owner),
      hasBefore: (order, position) => this.#sources.itemsBefore.load(order, { ...owner, ...position }),
      count: () => this.#sources.itemCounts.load(selection, owner),
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
      fetch: (offset) => this.#sources.nearbyPages.load({ ...circle, limit, offset }, scope),
      count: () => this.#sources.nearbyCounts.load(circle, scope),
    })
  }

  #itemPage(owner: ItemOwner, selection: ItemSelection, order: ItemOrder, paging: PageArguments): Page<Item> {
    const { limit } = paging
    return createPage({
      ...paging,
      fetch: (offset) => this.#sources.itemPages.load({ ...selection, ...order, limit, offset }, owner),
      count: () => this.#sources.itemCounts.load(selection, owner),
    })
  }

  async #findNode(id: string): Promise<CatalogNode | null> {
    const [dataset, item, image] = await Promise.all([
      this.#sources.datasetsById.load(id),
      this.#sources.itemsById.load(id),
      this.#sources.imagesById.load(id),
    ])
    if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null
    const owner = item ?? (image && (await this.#sources.itemsById.load(image.itemId)))
    if (!owner || !this.#mayAccess(await this.datasetOf(owner))) return null
    return item ? { type: 'Item', ...item } : image && { type: 'Image', ...image }
  }

  async #findDataset(idOrSlug: string): Promise<Dataset | null> {
    if (isUuid(idOrSlug)) return this.#sources.datasetsById.load(idOrSlug.toLowerCase())
    const dataset = isSlug(idOrSlug) ? await this.#sources.datasetsBySlug.load(idOrSlug) : null
    // Its items ask for it again, by id.
    if (dataset) this.#sources.datasetsById.prime(dataset.id, dataset)
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
