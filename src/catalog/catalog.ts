import { accessDenied, notFound } from '../errors.ts'
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
import { type WantedItem, WHOLE_ITEM } from './item-fields.ts'
import type { ItemOrder, ItemOwner, ItemSelection } from './items.ts'
import type { NearbyItem } from './nearby.ts'
import { createPage, type Page } from './page.ts'
import type { Reading } from './reading.ts'
import type { Dataset, Image, Item } from './records.ts'
import type { Sources } from './sources.ts'
import { type WantedList, WHOLE_LIST } from './wanted.ts'

/** Something with a UUID, and what it is. */
export type CatalogNode = ({ type: 'Dataset' } & Dataset) | ({ type: 'Item' } & Item) | ({ type: 'Image' } & Image)

/**
 * All that one API key may read, for the length of one request. What is asked for together is read in one statement, and
 * nothing is read twice. An item in hand is one that the key may access, and so are its dataset, parent, children and
 * images: access is checked where a dataset or item is first reached by name, id or place.
 */
export class Catalog {
  readonly #sources: Sources
  readonly #reading: Reading

  constructor(sources: Sources, reading: Reading) {
    this.#sources = sources
    this.#reading = reading
  }

  /** The datasets that the key may access, by name, then id. */
  async datasets(): Promise<Dataset[]> {
    this.#reading.dependOnAll()
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
    const dataset = await this.#sources.datasetById(datasetId)
    // The item was read a moment ago: an import has removed its dataset since.
    if (!dataset) throw notFound('dataset')
    return dataset
  }

  /** The parent of an item, null for a root item. */
  async parentOf({ parentItemId, parent }: Item): Promise<Item | null> {
    if (parent !== undefined || parentItemId === null) return parent ?? null
    return this.#sources.itemsById.load(parentItemId)
  }

  /** The images of an item, by `sortOrder`, then id. */
  async imagesOf({ id, images }: Item): Promise<Image[]> {
    return images ?? this.#sources.imagesByItemId.load(id)
  }

  /** A page of a dataset's items. */
  itemsOf(dataset: Dataset, args: ItemListArguments, wanted = WHOLE_LIST): Page<Item> {
    const { page, limit, sort, order } = args
    const { owner, selection } = selectItems(dataset, args)
    return this.#itemPage(owner, selection, { sort, order }, { page, limit }, wanted)
  }

  /**
   * A connection of a dataset's items.
   * @throws `VALIDATION_FAILED` for a cursor of another list
   */
  itemConnectionOf(dataset: Dataset, args: ItemConnectionArguments, wanted = WHOLE_LIST): ItemConnection {
    const { owner, selection } = selectItems(dataset, args)
    return createConnection(owner, selection, args, wanted, {
      fetch: (window) => this.#sources.itemPages.load(window, owner),
      hasBefore: (order, position) => this.#sources.itemsBefore.load(order, { ...owner, ...position }),
      count: () => this.#sources.itemCounts.load(selection, owner),
    })
  }

  /** A page of an item's children, by name, then id. */
  childrenOf({ id, datasetId }: Item, paging: PageArguments, wanted = WHOLE_LIST): Page<Item> {
    const { sort, order } = DEFAULTS
    return this.#itemPage({ datasetId, parentItemId: id }, { among: 'children' }, { sort, order }, paging, wanted)
  }

  /**
   * A page of the items around a point, nearest first, in one dataset or in all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async nearby({ datasetId, ...args }: NearbyArguments, wanted = WHOLE_LIST): Promise<Page<NearbyItem>> {
    const datasets = datasetId === undefined ? await this.datasets() : [await this.dataset(datasetId)]
    return this.nearbyIn(datasets, args, wanted)
  }

  /** A page of the items around a point, nearest first, in datasets that the key may access. */
  nearbyIn(
    datasets: readonly Dataset[],
    args: Omit<NearbyArguments, 'datasetId'>,
    wanted = WHOLE_LIST,
  ): Page<NearbyItem> {
    const { page, limit, ...circle } = args
    const scope = datasets.map((dataset) => dataset.id)
    const fetch = (window: { offset: number; limit: number; wanted: WantedItem }) =>
      this.#sources.nearbyPages.load({ ...circle, ...window }, scope)
    return createPage({
      page,
      limit,
      hasNodes: wanted.nodes !== undefined,
      fetch: (offset) => fetch({ limit, offset, wanted: wanted.nodes ?? WHOLE_ITEM }),
      // The search knows the total at the price of an item.
      count: async () => (await fetch({ limit: 1, offset: 0, wanted: NO_FIELDS })).total ?? 0,
    })
  }

  #itemPage(
    owner: ItemOwner,
    selection: ItemSelection,
    order: ItemOrder,
    { page, limit }: PageArguments,
    wanted: WantedList,
  ): Page<Item> {
    const list = {
      ...selection,
      ...order,
      limit,
      ...(wanted.written ? { members: wanted.written, wanted: NO_FIELDS } : { wanted: wanted.nodes ?? WHOLE_ITEM }),
    }
    return createPage({
      page,
      limit,
      hasNodes: wanted.nodes !== undefined || wanted.written !== undefined,
      fetch: (offset) =>
        this.#sources.itemPages.load({ ...list, offset, isCounted: wanted.total || offset > 0 }, owner),
      count: () => this.#sources.itemCounts.load(selection, owner),
    })
  }

  async #findNode(id: string): Promise<CatalogNode | null> {
    this.#reading.dependOnAll()
    const [dataset, item, image] = await Promise.all([
      this.#sources.datasetById(id),
      this.#sources.itemsById.load(id),
      this.#sources.imagesById.load(id),
    ])
    if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null
    const owner = item ?? (image && (await this.#sources.itemsById.load(image.itemId)))
    if (!owner || !this.#mayAccess(await this.datasetOf(owner))) return null
    return item ? { type: 'Item', ...item } : image && { type: 'Image', ...image }
  }

  async #findDataset(idOrSlug: string): Promise<Dataset | null> {
    if (isUuid(idOrSlug)) return this.#sources.datasetById(idOrSlug.toLowerCase())
    return isSlug(idOrSlug) ? this.#sources.datasetBySlug(idOrSlug) : null
  }

  #mayAccess(dataset: Dataset): boolean {
    return this.#reading.mayAccess(dataset)
  }
}

const NO_FIELDS: WantedItem = { fields: [] }

/** Whose items a list of a dataset shows, and which. */
function selectItems({ id }: Dataset, args: Omit<ItemListArguments, keyof PageArguments>) {
  const { parentItemId, administrativeAreaCode, categoryCode } = args
  const among = parentItemId === undefined ? 'all' : parentItemId === null ? 'roots' : 'children'
  const owner: ItemOwner = { datasetId: id, parentItemId: parentItemId ?? null }
  const selection: ItemSelection = { among, administrativeAreaCode, categoryCode }
  return { owner, selection }
}
