import type { Random } from './random.ts'
import {
  type Catalog,
  type Dataset,
  type Item,
  type Key,
  newDataset,
  newItem,
  SLUGS,
  STATUSES,
  type State,
  TIERS,
  VISIBILITIES,
  type World,
} from './world.ts'

/*
 * Random changes of the model. Each is one transaction in the database, with statements that follow from the difference (sql.ts).
 * `mark` is new for each change, and stands in the texts of changed records: an answer says which state it saw.
 */

/** A change: the next state, or undefined if the state does not allow it. */
export type Change = (random: Random, world: World, state: State, mark: string) => State | undefined

const withCatalog = (state: State, catalog: Partial<Catalog>): State => ({
  ...state,
  catalog: { ...state.catalog, ...catalog },
})

const replace = <Value extends { id: string }>(list: readonly Value[], value: Value): Value[] =>
  list.map((each) => (each.id === value.id ? value : each))

const without = <Value extends { id: string }>(list: readonly Value[], id: string): Value[] =>
  list.filter((each) => each.id !== id)

/** Changes some datasets, often two at once. */
const updateDatasets: Change = (random, _, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const chosen = random.some(state.catalog.datasets, 1)
  const datasets = chosen.reduce(
    (all, each) =>
      replace(all, {
        ...each,
        description: mark,
        ...(random.chance(0.3) && { name: `${random.pick(['A', 'B', 'C'])} ${mark}` }),
      }),
    [...state.catalog.datasets],
  )
  return withCatalog(state, { datasets })
}

/** Withdraws or opens a dataset. */
const changeVisibility: Change = (random, _, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const dataset = random.pick(state.catalog.datasets)
  const visibility = random.pick(VISIBILITIES)
  const accessTier = visibility === 'paid' ? random.pick(TIERS) : null
  const changed: Dataset = { ...dataset, visibility, accessTier, status: random.pick(STATUSES), description: mark }
  return withCatalog(state, { datasets: replace(state.catalog.datasets, changed) })
}

const exchangeSlugs: Change = (random, _, state) => {
  const [a, b] = random.shuffle(state.catalog.datasets)
  if (!a || !b) return undefined
  const datasets = replace(replace(state.catalog.datasets, { ...a, slug: b.slug }), { ...b, slug: a.slug })
  return withCatalog(state, { datasets })
}

/** Removes a dataset with its items, images and grants. */
const removeDataset: Change = (random, { datasetIds }, state) => {
  if (state.catalog.datasets.length < datasetIds.length) return undefined
  const { id } = random.pick(state.catalog.datasets)
  const items = state.catalog.items.filter(({ datasetId }) => datasetId !== id)
  const images = state.catalog.images.filter(({ itemId }) => items.some((item) => item.id === itemId))
  const keys = state.keys.map((key) =>
    key.grants.includes(id) ? { ...key, grants: key.grants.filter((grant) => grant !== id) } : key,
  )
  return { catalog: { datasets: without(state.catalog.datasets, id), items, images }, keys }
}

/** Creates a removed dataset again, with some items and perhaps a grant. */
const createDataset: Change = (random, { datasetIds, itemIds }, state, mark) => {
  const { datasets, items } = state.catalog
  const id = datasetIds.find((each) => !datasets.some((dataset) => dataset.id === each))
  const slug = SLUGS.find((each) => !datasets.some((dataset) => dataset.slug === each))
  if (!id || !slug) return undefined
  const free = itemIds.filter((each) => !items.some((item) => item.id === each))
  const added = random
    .some(free)
    .map((each) => newItem(random, { id: each, datasetId: id, createdDay: itemIds.indexOf(each) }, mark))
  const lucky = random.pick(state.keys)
  return {
    catalog: {
      ...state.catalog,
      datasets: [...datasets, newDataset(random, id, slug, mark)],
      items: [...items, ...added],
    },
    keys: replace(state.keys, random.chance(0.5) ? { ...lucky, grants: [...lucky.grants, id] } : lucky),
  }
}

/** Inserts, removes, moves or changes one to three items, of any datasets. */
const changeItems: Change = (random, world, state, mark) => {
  let next: State | undefined
  for (let left = random.pick([1, 1, 2, 3]); left > 0; left -= 1) {
    const kind = random.weighted({ insert: 2, remove: 2, move: 2, change: 3, reparent: 1 })
    const change = { insert: insertItem, remove: removeItem, move: moveItem, change: changeItem, reparent }[kind]
    next = change(random, world, next ?? state, mark) ?? next
  }
  return next
}

const insertItem: Change = (random, { itemIds }, state, mark) => {
  const free = itemIds.filter((id) => !state.catalog.items.some((item) => item.id === id))
  if (free.length === 0 || state.catalog.datasets.length === 0) return undefined
  const id = random.pick(free)
  const { id: datasetId } = random.pick(state.catalog.datasets)
  const item = newItem(random, { id, datasetId, createdDay: itemIds.indexOf(id) }, mark)
  return withCatalog(state, { items: [...state.catalog.items, item] })
}

const removeItem: Change = (random, _, state) => {
  if (state.catalog.items.length === 0) return undefined
  const { id } = random.pick(state.catalog.items)
  const items = without(state.catalog.items, id).map((item) =>
    item.parentId === id ? { ...item, parentId: null } : item,
  )
  return withCatalog(state, { items, images: state.catalog.images.filter(({ itemId }) => itemId !== id) })
}

const moveItem: Change = (random, _, state, mark) => {
  const isParent = ({ id }: Item) => state.catalog.items.some(({ parentId }) => parentId === id)
  const movable = state.catalog.items.filter((item) => !isParent(item))
  if (movable.length === 0 || state.catalog.datasets.length === 0) return undefined
  const item = random.pick(movable)
  const { id: datasetId } = random.pick(state.catalog.datasets)
  const moved = { ...item, datasetId, parentId: null, description: mark }
  return withCatalog(state, { items: replace(state.catalog.items, moved) })
}

const changeItem: Change = (random, _, state, mark) => {
  if (state.catalog.items.length === 0) return undefined
  const item = random.pick(state.catalog.items)
  const { name, area, category, step } = newItem(random, item, mark)
  const changed = random.chance(0.5)
    ? { ...item, name, description: mark }
    : { ...item, area, category, step, description: mark }
  return withCatalog(state, { items: replace(state.catalog.items, changed) })
}

const reparent: Change = (random, _, state, mark) => {
  if (state.catalog.items.length === 0) return undefined
  const item = random.pick(state.catalog.items)
  const isLeaf = !state.catalog.items.some(({ parentId }) => parentId === item.id)
  const roots = state.catalog.items.filter(
    ({ id, datasetId, parentId }) => id !== item.id && datasetId === item.datasetId && parentId === null,
  )
  const parentId = isLeaf && roots.length > 0 && random.chance(0.7) ? random.pick(roots).id : null
  return withCatalog(state, { items: replace(state.catalog.items, { ...item, parentId, description: mark }) })
}

/** An image replaces an item or the other way round, or one item another: at any moment there is one of the two. */
const exchangeRecords: Change = (random, world, state, mark) => {
  const removed = (random.chance(0.5) ? removeItem : removeImage)(random, world, state, mark)
  return removed && (random.chance(0.5) ? insertItem : insertImage)(random, world, removed, mark)
}

const removeImage: Change = (random, _, state) => {
  if (state.catalog.images.length === 0) return undefined
  return withCatalog(state, { images: without(state.catalog.images, random.pick(state.catalog.images).id) })
}

const insertImage: Change = (random, { imageIds }, state, mark) => {
  const free = imageIds.filter((id) => !state.catalog.images.some((image) => image.id === id))
  if (free.length === 0 || state.catalog.items.length === 0) return undefined
  const image = {
    id: random.pick(free),
    itemId: random.pick(state.catalog.items).id,
    altText: mark,
    sortOrder: random.below(3),
  }
  return withCatalog(state, { images: [...state.catalog.images, image] })
}

const changeImages: Change = (random, world, state, mark) =>
  (random.chance(0.5) ? insertImage : removeImage)(random, world, state, mark)

/** Grants or withdraws, or exchanges grants for others or for a tier, in one transaction. */
const changeRights: Change = (random, world, state, mark) => {
  const revoked = state.keys.find(({ isRevoked }) => isRevoked)
  // Revoked keys see nothing, so they are valid again soon.
  if (revoked && random.chance(0.4)) return changeRevocation(random, world, state, mark)
  const key = pickKey(random, state)
  const ids = state.catalog.datasets.map(({ id }) => id)
  const missing = ids.filter((id) => !key.grants.includes(id))
  const added = missing.length > 0 ? [random.pick(missing)] : []
  const kept = random.shuffle(key.grants).slice(1)
  const kind = random.weighted({ grant: key.grants.length > 0 ? 1 : 4, withdraw: 1, exchange: 3, tier: 4 })
  const changed: Key = {
    grant: { ...key, grants: [...key.grants, ...added] },
    withdraw: { ...key, grants: kept },
    exchange: { ...key, grants: [...kept, ...added] },
    tier:
      key.tiers.length > 0 ? { ...key, tiers: [], grants: added } : { ...key, tiers: [random.pick(TIERS)], grants: [] },
  }[kind]
  return { ...state, keys: replace(state.keys, changed) }
}

/** The first key changes most often: two changes can fall into one request. */
function pickKey(random: Random, { keys: [first, ...others] }: State): Key {
  return first && (random.chance(0.5) || others.length === 0) ? first : random.pick(others)
}

/** Revokes a key, or makes a revoked one valid again. */
const changeRevocation: Change = (random, _, state) => {
  const key = state.keys.find(({ isRevoked }) => isRevoked) ?? random.pick(state.keys)
  return { ...state, keys: replace(state.keys, { ...key, isRevoked: !key.isRevoked }) }
}

/** A change of several kinds at once, of the catalog and of the rights. */
const changeBoth: Change = (random, world, state, mark) => {
  const changed = updateDatasets(random, world, state, mark) ?? state
  return changeRights(random, world, changeItems(random, world, changed, mark) ?? changed, mark)
}

/** Everything stays as it is. */
const nothing: Change = (_, __, state) => ({ ...state })

export const CHANGES = {
  ...{ updateDatasets, changeVisibility, exchangeSlugs, removeDataset, createDataset, changeItems, exchangeRecords },
  ...{ changeImages, changeRights, changeRevocation, changeBoth, nothing },
} as const
