import { accessDenied, notFound, validationFailed } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import {
  DEFAULTS,
  type FindArguments,
  type ItemListArguments,
  isUuid,
  type NearbyArguments,
  type PageArguments,
  type SuggestArguments,
  type TileSelection,
} from './arguments.ts'
import { type Connection, connectDatasets, createConnection } from './connection.ts'
import type { DatasetConnectionArguments, ItemConnectionArguments } from './cursor.ts'
import type { FilterValues } from './filters.ts'
import { labelsByField } from './labels.ts'
import {
  type Dataset,
  type FoundItem,
  type Image,
  type Item,
  type NearbyItem,
  parseImage,
  parseItem,
  type RawJson,
  writtenItem,
} from './models.ts'
import { OwnKey } from './own-key.ts'
import { createPage, type Page, type Window } from './page.ts'
import {
  ALL_COLUMNS,
  DEFAULT_LIST_PROJECTION,
  type ItemProjection,
  type ListProjection,
  NO_ITEMS,
  withoutDistance,
  withoutSpaces,
} from './projection.ts'
import type { DatasetList } from './snapshot/dataset-list.ts'
import type { Loaders } from './snapshot/loaders.ts'
import type { ReadLog } from './snapshot/read-log.ts'
import type { LookupRow } from './sql/by-id.ts'
import type { ChangeBatch, LogPosition } from './sql/change-log.ts'
import type { BatchContent, ExportBatch, ExportWindow } from './sql/export.ts'
import type { ExportSize } from './sql/export-sizes.ts'
import type { Extent } from './sql/extent.ts'
import type { Facet, FacetField } from './sql/facets.ts'
import type { FeaturePage, FeatureWindow } from './sql/features.ts'
import { type ItemList, selectItems } from './sql/item-list.ts'
import type { TileAddress, TileFeature } from './tile.ts'

/** Characters of a slug that are compared with those of the datasets. */
const MAX_COMPARED = 40

/** Columns of a flat export. */
const MAX_ATTRIBUTES = 1_000

/** A record with a UUID, and its type. */
export type CatalogNode = ({ type: 'Dataset' } & Dataset) | ({ type: 'Item' } & Item) | ({ type: 'Image' } & Image)

/**
 * The catalog as one API key may read it, for one request. Concurrent reads share a statement, and nothing is read twice.
 * Methods that take an id, a slug, a point or a tile check access. Methods that take a dataset or an item do not: the caller got
 * it from a method that did. A key that may access an item may also access its dataset, parent, children and images.
 */
export class Catalog {
  readonly #list: DatasetList
  readonly #loaders: Loaders
  readonly #readLog: ReadLog

  constructor(list: DatasetList, loaders: Loaders, readLog: ReadLog) {
    this.#list = list
    this.#loaders = loaders
    this.#readLog = readLog
  }

  /** The API key itself. */
  ownKey(): OwnKey {
    return new OwnKey(this.#list, this.#loaders, this.#readLog)
  }

  /** The datasets that the key may access, by name, then id. */
  datasets(): Dataset[] {
    this.#readLog.dependOnAll()
    return this.#list.all.filter((dataset) => this.#mayAccess(dataset))
  }

  /** A connection of these datasets. */
  datasetConnection(args: DatasetConnectionArguments): Connection<Dataset> {
    return connectDatasets(this.datasets(), args)
  }

  /**
   * A dataset by its UUID or slug.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`
   */
  dataset(idOrSlug: string): Dataset {
    const dataset = this.#list.withId(idOrSlug.toLowerCase()) ?? this.#list.withSlug(idOrSlug)
    if (!dataset) throw notFound('dataset', this.#slugLike(idOrSlug))
    if (!this.#mayAccess(dataset)) throw accessDenied()
    return dataset
  }

  /** The slug that a client may mean, of a dataset that the key may access. A third of the letters may be wrong. */
  #slugLike(text: string): string | undefined {
    const wanted = text.slice(0, MAX_COMPARED)
    const slugs = this.datasets().map(({ slug }) => slug)
    return nearestName(wanted, slugs, Math.floor(wanted.length / 3))
  }

  /**
   * An item by its UUID.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED`
   */
  async item(id: string, projection: ItemProjection = ALL_COLUMNS): Promise<Item> {
    const found = isUuid(id) ? await this.#loaders.items.load(projection, id.toLowerCase()) : null
    if (!found) throw notFound('item')
    const json = this.#contentOf(found)
    if (json === null) throw accessDenied()
    return projection.form === 'records' ? parseItem(json) : writtenItem(withoutSpaces(json, projection))
  }

  /** The dataset, item or image of each UUID. Null if it does not exist or the key may not access it. */
  async nodes(ids: readonly string[]): Promise<(CatalogNode | null)[]> {
    return Promise.all(ids.map((id) => (isUuid(id) ? this.#findNode(id.toLowerCase()) : null)))
  }

  /** The dataset that owns an item. */
  datasetOf({ datasetId }: Pick<Item, 'datasetId'>): Dataset {
    const dataset = this.#list.withId(datasetId)
    // The item is of a later state than the list. The read log knows, and the read runs again.
    if (!dataset) throw notFound('dataset')
    return dataset
  }

  /** The parent of an item; null for a root item, and if the parent does not exist any more. */
  async parentOf({ parentItemId, parent }: Item): Promise<Item | null> {
    if (parent !== undefined || parentItemId === null) return parent ?? null
    const found = await this.#loaders.items.load(ALL_COLUMNS, parentItemId)
    return found?.json ? parseItem(found.json) : null
  }

  /** The images of an item, by `sortOrder`, then id. */
  async imagesOf(item: Item): Promise<Image[]> {
    return item.images ?? this.#loaders.imagesOfItems.load(item)
  }

  /** A page of a dataset's items. */
  itemsOf(dataset: Dataset, args: ItemListArguments, projection = DEFAULT_LIST_PROJECTION): Page {
    return this.#pageOf({ ...args, ...selectItems(dataset, args) }, args, projection)
  }

  /** A page of a list. Nothing is read until its functions are called. */
  #pageOf(
    { owner, selection, sort, order }: ItemList,
    { page, limit }: PageArguments,
    { nodes, total }: ListProjection,
  ): Page {
    const list = { selection, sort, order, limit }
    return createPage({
      page,
      limit,
      projection: nodes,
      // With the total, the statement does not walk the index to a page past the end.
      fetch: (offset, projection) =>
        this.#loaders.itemPages.load({ ...list, offset, projection, isCounted: total || offset > 0 }, owner),
      count: () => this.#loaders.itemCounts.load(selection, owner),
    })
  }

  /** A connection of a dataset's items. */
  itemConnectionOf(
    dataset: Dataset,
    args: ItemConnectionArguments,
    projection = DEFAULT_LIST_PROJECTION,
  ): Connection<Item> {
    const { owner, selection } = selectItems(dataset, args)
    return createConnection(selection, args, projection, {
      fetch: (window) => this.#loaders.itemPages.load(window, owner),
      hasBeyond: (list, position) => this.#loaders.itemsBeyond.load(list, { ...owner, ...position }),
      count: () => this.#loaders.itemCounts.load(selection, owner),
    })
  }

  /** A page of an item's children, by name, then id. */
  childrenOf({ id, datasetId }: Item, paging: PageArguments, projection = DEFAULT_LIST_PROJECTION): Page {
    const { sort, order } = DEFAULTS
    const list = { owner: { datasetId, parentItemId: id }, selection: { among: 'children' as const }, sort, order }
    return this.#pageOf(list, paging, projection)
  }

  /**
   * A page of the selected items, from one dataset or from all that the key may access. With a circle the nearest come first.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  find(args: NearbyArguments, projection?: ListProjection): Promise<Page<NearbyItem>>
  find(args: FindArguments, projection?: ListProjection): Promise<Page<FoundItem>>
  async find({ datasetId, ...args }: FindArguments, projection = DEFAULT_LIST_PROJECTION): Promise<Page<FoundItem>> {
    return this.findIn(this.#datasetsIn(datasetId), args, projection)
  }

  /** The same from datasets. The caller has checked access to them. */
  findIn(datasets: readonly Dataset[], args: NearbyArguments, projection?: ListProjection): Page<NearbyItem>
  findIn(datasets: readonly Dataset[], args: FindArguments, projection?: ListProjection): Page<FoundItem>
  findIn(
    datasets: readonly Dataset[],
    { page, limit, datasetId: _, ...selection }: FindArguments,
    projection = DEFAULT_LIST_PROJECTION,
  ): Page<FoundItem> {
    const scope = datasets.map(({ id }) => id)
    const fetch = (window: Window) => this.#loaders.found.load({ ...selection, ...window }, scope)
    return createPage({
      page,
      limit,
      projection: (selection.circle ? projection : withoutDistance(projection)).nodes,
      fetch: (offset, nodes) => fetch({ offset, limit, projection: nodes }),
      count: async () => (await fetch({ offset: 0, limit: 0, projection: NO_ITEMS })).total ?? 0,
    })
  }

  /**
   * The items that are probably meant by a text, best first, from one dataset or from all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async suggest(
    { datasetId, ...suggestion }: SuggestArguments,
    projection: ItemProjection = ALL_COLUMNS,
  ): Promise<Item[]> {
    const scope = this.#datasetsIn(datasetId).map(({ id }) => id)
    return this.#loaders.suggestions(suggestion, scope, projection)
  }

  /** The codes of a field in the items of a dataset, each with its number of items, by number (most first), then code. */
  facetsOf({ id }: Dataset, field: FacetField): Promise<Facet[]> {
    return this.#loaders.facets.load(field, id)
  }

  /**
   * The features of the selected items of a map tile, from one dataset or from all that the key may access.
   * @throws `NOT_FOUND`, `DATASET_ACCESS_DENIED` for the dataset
   */
  async tile(tile: TileAddress, datasetId?: string, selection: TileSelection = {}): Promise<TileFeature[]> {
    const datasets = this.#datasetsIn(datasetId)
    return this.#loaders.tile(
      tile,
      selection,
      datasets.map(({ id }) => id),
    )
  }

  /**
   * The names of the extra attributes of a dataset's matching items, by code point.
   * @throws `VALIDATION_FAILED` if there are more than 1,000
   */
  async attributesOf({ id }: Dataset, filters: FilterValues): Promise<string[]> {
    const names = await this.#loaders.attributes(id, filters, MAX_ATTRIBUTES + 1)
    if (names.length <= MAX_ATTRIBUTES) return names
    throw validationFailed([
      { field: 'flat', message: `is for at most ${MAX_ATTRIBUTES} attributes, and the items have more` },
    ])
  }

  /** The next matching items of a dataset, in order of id, as lines of an export. */
  exportBatch({ id }: Dataset, content: BatchContent, window: ExportWindow): Promise<ExportBatch> {
    return this.#loaders.exportBatch(id, content, window)
  }

  /** The changes of a dataset after a position in its log; undefined without a log. */
  changesOf({ id }: Dataset, after: LogPosition, limit: number): Promise<ChangeBatch | undefined> {
    return this.#loaders.changes(id, after, limit)
  }

  /** The labels of a dataset, as a manifest has them: by the field, then by the code. */
  async labelsOf({ id }: Dataset): Promise<Record<string, Record<string, string>>> {
    return labelsByField(await this.#loaders.labels(id))
  }

  /** Whether there is a dataset with this UUID, which the key may not access perhaps. */
  exists(id: string): boolean {
    this.#readLog.dependOnAll()
    return this.#list.withId(id) !== undefined
  }

  /** The dataset with the id or slug; without it, all datasets that the key may access. */
  #datasetsIn(idOrSlug: string | undefined): Dataset[] {
    return idOrSlug === undefined ? this.datasets() : [this.dataset(idOrSlug)]
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

  /** The sizes of the exports of a dataset without filters, in each text format. */
  exportSizesOf({ id }: Dataset): Promise<ExportSize[]> {
    return this.#loaders.exportSizes.load(id)
  }

  async #findNode(id: string): Promise<CatalogNode | null> {
    this.#readLog.dependOnAll()
    const dataset = this.#list.withId(id)
    if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null
    const [item, image] = await Promise.all([this.#loaders.items.load(ALL_COLUMNS, id), this.#loaders.images.load(id)])
    const found = item ?? image
    const json = found && this.#contentOf(found)
    if (json === null) return null
    return item ? { type: 'Item', ...parseItem(json) } : { type: 'Image', ...parseImage(json) }
  }

  /** The content of an item or an image; null if the key may not access its dataset. */
  #contentOf(found: LookupRow): RawJson | null {
    return this.#mayAccess(this.datasetOf(found)) ? found.json : null
  }

  #mayAccess(dataset: Dataset): boolean {
    return this.#readLog.mayAccess(dataset)
  }
}
