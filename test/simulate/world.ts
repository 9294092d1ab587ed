import { Random } from './random.ts'

/*
 * The model: the whole content of a small catalog and the rights of its keys, as plain values. It shares no code with the gateway.
 */

export interface Dataset {
  id: string
  slug: string
  name: string
  description: string
  status: 'draft' | 'active' | 'inactive' | 'archived'
  visibility: 'public' | 'restricted' | 'paid'
  accessTier: string | null
}

export interface Item {
  id: string
  datasetId: string
  name: string
  description: string
  area: string
  category: string
  parentId: string | null
  /** Distance north of `POINT`, in steps of 0.0001 degrees. All items have its longitude. */
  step: number
  /** Days after the start of 2026. Each item has its own. */
  createdDay: number
}

export interface Image {
  id: string
  itemId: string
  altText: string
  sortOrder: number
}

export interface Key {
  id: string
  tiers: readonly string[]
  /** The ids of the datasets for which it has a grant. */
  grants: readonly string[]
  isRevoked: boolean
}

export interface Catalog {
  datasets: readonly Dataset[]
  items: readonly Item[]
  images: readonly Image[]
}

/** The content of the database at one moment. */
export interface State {
  catalog: Catalog
  keys: readonly Key[]
}

/** What a seed fixes about a world besides its states: the records that can exist. They are few, so that requests meet them. */
export interface World {
  initial: State
  /** The secret of each key, in the order of the keys. */
  tokens: readonly string[]
  datasetIds: readonly string[]
  itemIds: readonly string[]
  imageIds: readonly string[]
}

export const POINT = { latitude: 37.5, longitude: 127 }
export const SLUGS = ['zeta', 'mid', 'alpha'] as const
/** Mostly the same, so that a key with a tier meets a dataset with it. */
export const TIERS = ['gold', 'gold', 'gold', 'iron'] as const
export const AREAS = ['11', '26'] as const
export const CATEGORIES = ['gate', 'hall'] as const
export const WORDS = ['Gate', 'Hall', 'Gate Hall', 'Tower', 'Tower Gate'] as const
export const STATUSES = ['active', 'active', 'active', 'active', 'active', 'archived', 'draft', 'inactive'] as const
export const VISIBILITIES = ['public', 'public', 'restricted', 'restricted', 'restricted', 'paid', 'paid'] as const
const KEYS = 3
const ITEMS = 14
const IMAGES = 6

/** Creates the world of a seed. */
export function createWorld(seed: number): World {
  const random = new Random(`${seed} world`)
  const ids = (count: number) => Array.from({ length: count }, () => random.uuid())
  const [datasetIds, itemIds, imageIds] = [ids(SLUGS.length), ids(ITEMS), ids(IMAGES)]
  const datasets = datasetIds.map((id, n) => newDataset(random, id, SLUGS[n] ?? id, 'g0'))
  const items = itemIds
    .map((id, n) => ({ id, n, datasetId: random.pick(datasetIds) }))
    .filter(() => random.chance(0.75))
    .map(({ id, n, datasetId }) => newItem(random, { id, datasetId, createdDay: n }, 'g0'))
  const keys = ids(KEYS).map((id) => newKey(random, id, datasetIds))
  return {
    initial: { catalog: { datasets, items: withParents(random, items), images: [] }, keys },
    tokens: keys.map(() => `dck_${random.secret()}`),
    datasetIds,
    itemIds,
    imageIds,
  }
}

/** A dataset with random rights. `mark` says in its texts which write they come from. */
export function newDataset(random: Random, id: string, slug: string, mark: string): Dataset {
  const visibility = random.pick(VISIBILITIES)
  return {
    ...{ id, slug, name: `${random.pick('ABC'.split(''))} ${mark}`, description: mark },
    ...{ status: random.pick(STATUSES), visibility, accessTier: visibility === 'paid' ? random.pick(TIERS) : null },
  }
}

/** An item with random values. */
export function newItem(random: Random, ids: Pick<Item, 'id' | 'datasetId' | 'createdDay'>, mark: string): Item {
  const [area, category] = [random.pick(AREAS), random.pick(CATEGORIES)]
  const name = `${random.pick(WORDS)} ${mark}`
  return { ...ids, name, description: mark, area, category, parentId: null, step: random.below(40) }
}

function newKey(random: Random, id: string, datasetIds: readonly string[]): Key {
  const hasTier = random.chance(0.3)
  return { id, tiers: hasTier ? ['gold'] : [], grants: hasTier ? [] : [random.pick(datasetIds)], isRevoked: false }
}

/** Makes some items children of the first item of their dataset. */
function withParents(random: Random, items: readonly Item[]): Item[] {
  return items.map((item) => {
    const first = items.find(({ datasetId }) => datasetId === item.datasetId)
    return first && first !== item && random.chance(0.4) ? { ...item, parentId: first.id } : item
  })
}
