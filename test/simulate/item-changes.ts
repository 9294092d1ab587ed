import { type Change, replace, withCatalog, without } from './change.ts'
import { type Item, newItem, type State } from './world.ts'

/** Inserts, removes, moves or changes one to three items, of any datasets. */
export const changeItems: Change = (random, world, state, mark) => {
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
export const exchangeRecords: Change = (random, world, state, mark) => {
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

/** Inserts or removes an image. */
export const changeImages: Change = (random, world, state, mark) =>
  (random.chance(0.5) ? insertImage : removeImage)(random, world, state, mark)
