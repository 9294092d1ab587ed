import type { Catalog, Dataset, Image, Item, Key } from './world.ts'

export type Failure = 'NOT_FOUND' | 'DATASET_ACCESS_DENIED'

/** The ids of the datasets that a key may access (docs/access.md). */
export function rightsOf(key: Key, { datasets }: Catalog): string[] {
  return datasets.filter((dataset) => mayAccess(key, dataset)).map(({ id }) => id)
}

function mayAccess({ grants, tiers }: Key, { id, status, visibility, accessTier }: Dataset): boolean {
  if (grants.includes(id)) return true
  if (status !== 'active' && status !== 'archived') return false
  return visibility === 'public' || (visibility === 'paid' && accessTier !== null && tiers.includes(accessTier))
}

export interface ListArguments {
  sort?: 'name' | 'createdAt'
  order?: 'asc' | 'desc'
  category?: string | undefined
  area?: string | undefined
  /** Null selects root items. */
  parentId?: string | null | undefined
}

/** A catalog as a reader with the rights to some datasets sees it. */
export class View {
  readonly catalog: Catalog
  readonly #rights: readonly string[]

  constructor(catalog: Catalog, rights: readonly string[]) {
    this.catalog = catalog
    this.#rights = rights
  }

  /** The datasets by name, then id. */
  datasets(): Dataset[] {
    return this.catalog.datasets
      .filter(({ id }) => this.#rights.includes(id))
      .sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id))
  }

  /** A dataset by its UUID or slug, or why there is none. */
  dataset(idOrSlug: string): Dataset | Failure {
    const dataset = this.catalog.datasets.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug)
    if (!dataset) return 'NOT_FOUND'
    return this.#rights.includes(dataset.id) ? dataset : 'DATASET_ACCESS_DENIED'
  }

  /** What is read of a dataset by its UUID or slug, or why there is none; without one, of all datasets. */
  within<Value>(idOrSlug: string | undefined, read: (id: string | undefined) => Value): Value | Failure {
    const dataset = idOrSlug === undefined ? undefined : this.dataset(idOrSlug)
    return typeof dataset === 'string' ? dataset : read(dataset?.id)
  }

  /** An item by its UUID, or why there is none. */
  item(id: string): Item | Failure {
    const item = this.catalog.items.find((each) => each.id === id)
    if (!item) return 'NOT_FOUND'
    return this.#rights.includes(item.datasetId) ? item : 'DATASET_ACCESS_DENIED'
  }

  /** The items of a dataset; without one, of all datasets. They have no order. */
  items(datasetId?: string): Item[] {
    return this.catalog.items.filter((item) =>
      datasetId === undefined ? this.#rights.includes(item.datasetId) : item.datasetId === datasetId,
    )
  }

  /** The items of a dataset that a list has, in its order. */
  list(datasetId: string, { sort = 'name', order = 'asc', category, area, parentId }: ListArguments): Item[] {
    const sortValue = (item: Item) => (sort === 'name' ? item.name : String(item.createdDay).padStart(3, '0'))
    const listed = this.items(datasetId)
      .filter((item) => category === undefined || item.category === category)
      .filter((item) => area === undefined || item.area === area)
      .filter((item) => parentId === undefined || item.parentId === parentId)
      .sort((a, b) => compare(sortValue(a), sortValue(b)) || compare(a.id, b.id))
    return order === 'asc' ? listed : listed.reverse()
  }

  /** The images of an item by `sortOrder`, then id. */
  images(itemId: string): Image[] {
    return this.catalog.images
      .filter((image) => image.itemId === itemId)
      .sort((a, b) => a.sortOrder - b.sortOrder || compare(a.id, b.id))
  }

  /** The items of up to a number of steps from the point, nearest first, then by id. */
  nearby(steps: number, datasetId?: string): Item[] {
    return this.items(datasetId)
      .filter(({ step }) => step <= steps)
      .sort((a, b) => a.step - b.step || compare(a.id, b.id))
  }

  /** The items whose names have each word of a text: equal names, then names that begin with the text, then the others. */
  search(text: string, datasetId?: string): Item[] {
    const phrase = text.toLowerCase()
    const rank = ({ name }: Item) => (name.toLowerCase() === phrase ? 0 : name.toLowerCase().startsWith(phrase) ? 1 : 2)
    return this.items(datasetId)
      .filter(({ name }) => phrase.split(' ').every((word) => name.toLowerCase().includes(word)))
      .sort((a, b) => rank(a) - rank(b) || compare(a.name, b.name) || compare(a.id, b.id))
  }

  /** The items whose names begin with a word, by the letters of the name, then id. */
  beginning(word: string, datasetId?: string): Item[] {
    const letters = ({ name }: Item) => name.toLowerCase()
    return this.items(datasetId)
      .filter((item) => letters(item).startsWith(word))
      .sort((a, b) => compare(letters(a), letters(b)) || compare(a.id, b.id))
  }

  /** The codes of a dataset's items with their numbers: most items first, then by code. */
  facets(datasetId: string, field: 'area' | 'category'): { code: string; total: number }[] {
    const counted = Map.groupBy(this.items(datasetId), (item) => item[field])
    return [...counted]
      .map(([code, { length: total }]) => ({ code, total }))
      .sort((a, b) => b.total - a.total || compare(a.code, b.code))
  }
}

/** The order of two texts by code point, as long as they are ASCII. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
