import { accessDenied, notFound } from '../errors.ts'
import {
  DEFAULTS,
  type ItemListArguments,
  isSlug,
  isUuid,
  type NearbyArguments,
  type PageArguments,
  type SearchArguments,
} from './arguments.ts'
import { createConnection, type ItemConnection } from './connection.ts'
import type { ItemConnectionArguments } from './cursor.ts'
import type { ExportBatch, ExportFormat, ExportWindow } from './export-formats.ts'
import type { Extent, FeaturePage, FeatureWindow } from './features.ts'
import type { RawItem } from './item-columns.ts'
import { createItemPage, createNearbyPage, createSearchPage, selectItems } from './item-pages.ts'
import type { Dataset, Image, Item, JsonText } from './models.ts'
import type { Page } from './page.ts'
import { DEFAULT_LIST_PROJECTION } from './projection.ts'
import type { Loaders } from './snapshot/loaders.ts'
import type { ReadLog } from './snapshot/read-log.ts'
import type { Facet, FacetField } from './sql/facets.ts'
import type { NearbyItem } from './sql/nearby.ts'
import type { TileAddress, TileFeature } from './tile.ts'

/** A record with a UUID, and its type. */
export type CatalogNode = ({ type: 'Dataset' } & Dataset) | ({ type: 'Item' } & Item) | ({ type: 'Image' } & Image)

/**
 * The catalog as one API key may read it, for one request. Concurrent reads share a statement, and nothing is read twice.
 * Methods that take an id, a slug, a point or a tile check access. Methods that take a dataset or an item do not: the caller got
 * it from a method that did. A key that may access an item may also access its dataset, parent, children and images.
 */
export class Catalog {
  readonly #loaders: Loaders
  readonly #readLog: ReadLog

  constructor(loaders: Loaders, readLog: ReadLog) {
    this.#loaders = loaders
    this.#readLog = readLog
  }

  /** The datasets that the key may access, by name, then id. */
  async datasets(): Promise<Dataset[]> {
    this.#readLog.dependOnAll()
    return (await this.#loaders.datasets()).filter((dataset) => this.#mayAccess(dataset))
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
    const item = isUuid(id) ? await this.#loaders.itemsById.load(id.toLowerCase()) : null
    if (!item) throw notFound('item')
    if (!this.#mayAccess(await this.datasetOf(item))) throw accessDenied()
    return item
  }

  /**
   * An item by its UUID, as the JSON that clients receive.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`
   */
  async rawItem(id: string, members: RawItem): Promise<JsonText> {
    const item = isUuid(id) ? await this.#loaders.rawItem(members, id.toLowerCase()) : null
    if (!item) throw notFound('item')
    const dataset = await this.datasetOf(item)
    this.#readLog.verify(dataset.id, item.revision)
    if (!this.#mayAccess(dataset)) throw accessDenied()
    return item.json
  }

  /** The dataset, item or image of each UUID. Null if it does not exist or the key may not access it. */
  async nodes(ids: readonly string[]): Promise<(CatalogNode | null)[]> {
    return Promise.all(ids.map((id) => (isUuid(id) ? this.#findNode(id.toLowerCase()) : null)))
  }

  /** The dataset that owns an item. */
  async datasetOf({ datasetId }: Pick<Item, 'datasetId'>): Promise<Dataset> {
    const dataset = await this.#loaders.datasetById(datasetId)
    // An import or an operator removed the dataset after the item was read.
    if (!dataset) throw notFound('dataset')
    return dataset
  }

  /** The parent of an item, null for a root item. */
  async parentOf({ parentItemId, parent }: Item): Promise<Item | null> {
    if (parent !== undefined || parentItemId === null) return parent ?? null
    return this.#loaders.itemsById.load(parentItemId)
  }

  /** The images of an item, by `sortOrder`, then id. */
  async imagesOf({ id, images }: Item): Promise<Image[]> {
    return images ?? this.#loaders.imagesByItemId.load(id)
  }

  /** A page of a dataset's items. */
  itemsOf(dataset: Dataset, args: ItemListArguments, projection = DEFAULT_LIST_PROJECTION): Page<Item> {
    return createItemPage(this.#loaders, { ...args, ...selectItems(dataset, args) }, args, projection)
  }

  /** A connection of a dataset's items. */
  itemConnectionOf(
    dataset: Dataset,
    args: ItemConnectionArguments,
    projection = DEFAULT_LIST_PROJECTION,
  ): ItemConnection {
    const { owner, selection } = selectItems(dataset, args)
    return createConnection(selection, args, projection, {
      fetch: (window) => this.#loaders.itemPages.load(window, owner),
      hasBefore: (order, position) => this.#loaders.itemsBefore.load(order, { ...owner, ...position }),
      count: () => this.#loaders.itemCounts.load(selection, owner),
    })
  }

  /** A page of an item's children, by name, then id. */
  childrenOf({ id, datasetId }: Item, paging: PageArguments, projection = DEFAULT_LIST_PROJECTION): Page<Item> {
    const { sort, order } = DEFAULTS
    const list = { owner: { datasetId, parentItemId: id }, selection: { among: 'children' as const }, sort, order }
    return createItemPage(this.#loaders, list, paging, projection)
  }

  /**
   * A page of the items around a point, nearest first, from one dataset or from all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async nearby(
    { datasetId, ...args }: NearbyArguments,
    projection = DEFAULT_LIST_PROJECTION,
  ): Promise<Page<NearbyItem>> {
    return this.nearbyIn(await this.#datasetsIn(datasetId), args, projection)
  }

  /** A page of the items around a point, nearest first. The caller has checked access to the datasets. */
  nearbyIn(
    datasets: readonly Dataset[],
    args: Omit<NearbyArguments, 'datasetId'>,
    projection = DEFAULT_LIST_PROJECTION,
  ): Page<NearbyItem> {
    const scope = datasets.map((dataset) => dataset.id)
    return createNearbyPage(this.#loaders, scope, args, projection)
  }

  /**
   * A page of the items with a name or in a box, from one dataset or from all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async search({ datasetId, ...args }: SearchArguments, projection = DEFAULT_LIST_PROJECTION): Promise<Page<Item>> {
    return this.searchIn(await this.#datasetsIn(datasetId), args, projection)
  }

  /** A page of the items with a name or in a box. The caller has checked access to the datasets. */
  searchIn(
    datasets: readonly Dataset[],
    args: Omit<SearchArguments, 'datasetId'>,
    projection = DEFAULT_LIST_PROJECTION,
  ): Page<Item> {
    const scope = datasets.map((dataset) => dataset.id)
    return createSearchPage(this.#loaders, scope, args, projection)
  }

  /** The codes of a field in the items of a dataset, each with its number of items, by number (most first), then code. */
  facetsOf({ id }: Dataset, field: FacetField): Promise<Facet[]> {
    return this.#loaders.facets.load(field, id)
  }

  /**
   * The features of a map tile, from one dataset or from all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async tile(tile: TileAddress, datasetId?: string): Promise<TileFeature[]> {
    const datasets = await this.#datasetsIn(datasetId)
    return this.#loaders.tile(
      tile,
      datasets.map(({ id }) => id),
    )
  }

  /** The next items of a dataset, in order of id, as lines of an export. */
  exportBatch({ id }: Dataset, format: ExportFormat, window: ExportWindow): Promise<ExportBatch> {
    return this.#loaders.exportBatch(id, format, window)
  }

  /** The dataset with the id or slug; without it, all datasets that the key may access. */
  async #datasetsIn(idOrSlug: string | undefined): Promise<Dataset[]> {
    return idOrSlug === undefined ? this.datasets() : [await this.dataset(idOrSlug)]
  }

  /** A page of a dataset's items as GeoJSON features, in order of id. */
  featurePage(dataset: Dataset, window: FeatureWindow): Promise<FeaturePage> {
    return this.#loaders.featurePage(dataset, window)
  }

  /**
   * An item of a dataset as the text of a GeoJSON feature, by the item's UUID.
   * @throws `NOT_FOUND`
   */
  async feature(dataset: Dataset, id: string): Promise<string> {
    const feature = isUuid(id) ? await this.#loaders.feature(dataset, id) : null
    if (feature === null) throw notFound('item')
    return feature
  }

  /** The extent of a dataset; null if it has no items. */
  extentOf({ id }: Dataset): Promise<Extent | null> {
    return this.#loaders.extents.load(id)
  }

  async #findNode(id: string): Promise<CatalogNode | null> {
    this.#readLog.dependOnAll()
    const [dataset, item, image] = await Promise.all([
      this.#loaders.datasetById(id),
      this.#loaders.itemsById.load(id),
      this.#loaders.imagesById.load(id),
    ])
    if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null
    const owner = item ?? (image && (await this.#loaders.itemsById.load(image.itemId)))
    if (!owner || !this.#mayAccess(await this.datasetOf(owner))) return null
    return item ? { type: 'Item', ...item } : image && { type: 'Image', ...image }
  }

  async #findDataset(idOrSlug: string): Promise<Dataset | null> {
    if (isUuid(idOrSlug)) return this.#loaders.datasetById(idOrSlug.toLowerCase())
    return isSlug(idOrSlug) ? this.#loaders.datasetBySlug(idOrSlug) : null
  }

  #mayAccess(dataset: Dataset): boolean {
    return this.#readLog.mayAccess(dataset)
  }
}
