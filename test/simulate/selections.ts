import type { Random } from './random.ts'
import type { ListArguments, View } from './view.ts'
import { AREAS, CATEGORIES, type Dataset, type Item, POINT, type World } from './world.ts'

/** A selection of fields, and the values that the model has for them. */
export interface Selection<Source> {
  text: string
  read: (source: Source, view: View) => unknown
}

/** A field: its text may have an alias or arguments. */
interface Field<Source> extends Selection<Source> {
  name: string
}

function select<Source>(fields: readonly Field<Source>[]): Selection<Source> {
  return {
    text: `{ ${fields.map(({ text }) => text).join(' ')} }`,
    read: (source, view) => Object.fromEntries(fields.map(({ name, read }) => [name, read(source, view)])),
  }
}

function plain<Source>(name: string, read: (source: Source) => unknown): Field<Source> {
  return { name, text: name, read }
}

const DATASET_FIELDS: readonly Field<Dataset>[] = [
  plain('id', ({ id }) => id),
  plain('slug', ({ slug }) => slug),
  plain('name', ({ name }) => name),
  plain('description', ({ description }) => description),
  plain('status', ({ status }) => status.toUpperCase()),
  plain('visibility', ({ visibility }) => visibility.toUpperCase()),
  plain('accessTier', ({ accessTier }) => accessTier),
]

const ITEM_FIELDS: readonly Field<Item>[] = [
  plain('id', ({ id }) => id),
  plain('datasetId', ({ datasetId }) => datasetId),
  plain('name', ({ name }) => name),
  plain('description', ({ description }) => description),
  plain('administrativeAreaCode', ({ area }) => area),
  plain('categoryCode', ({ category }) => category),
  plain('parentItemId', ({ parentId }) => parentId),
]

/** A random selection on a dataset, with at most some lists. */
export function datasetSelection(random: Random, world: World, lists: number): Selection<Dataset> {
  const makers = [itemsField, connectionField, facetsField, nearbyField, searchField, extentField]
  const chosen = random.some(makers).slice(0, random.below(lists + 1))
  return select([...random.some(DATASET_FIELDS, 1).slice(0, 3), ...chosen.map((make) => make(random, world))])
}

/** A random selection on an item, with at most two records or lists around it. */
export function itemSelection(random: Random): Selection<Item> {
  const others = [ownerField, parentField, childrenField, imagesField]
  const chosen = random.some(others).slice(0, random.pick([0, 0, 1, 2]))
  return select([...random.some(ITEM_FIELDS, 1).slice(0, 3), ...chosen.map((make) => make())])
}

/** The type and a text of the record with a UUID. */
export function nodeSelection(): Selection<string> {
  const text = '{ id __typename ... on Dataset { slug description } ... on Item { name } ... on Image { altText } }'
  return { text, read: readNode }
}

function readNode(id: string, view: View): unknown {
  const dataset = view.datasets().find((each) => each.id === id)
  if (dataset) return { id, __typename: 'Dataset', slug: dataset.slug, description: dataset.description }
  const item = view.items().find((each) => each.id === id)
  if (item) return { id, __typename: 'Item', name: item.name }
  const image = view.catalog.images.find((each) => each.id === id)
  const isSeen = view.items().some((each) => each.id === image?.itemId)
  return image && isSeen ? { id, __typename: 'Image', altText: image.altText } : null
}

/** Arguments of a list of items, as the model has them and as GraphQL writes them. */
function listArguments(random: Random, { itemIds }: World): { args: ListArguments; text: string } {
  const args: ListArguments = {
    sort: random.chance(0.8) ? 'name' : 'createdAt',
    order: random.chance(0.7) ? 'asc' : 'desc',
    category: random.chance(0.15) ? random.pick(CATEGORIES) : undefined,
    area: random.chance(0.15) ? random.pick(AREAS) : undefined,
    parentId: random.chance(0.2) ? random.pick([null, random.pick(itemIds)]) : undefined,
  }
  const texts = [
    `sort: ${args.sort === 'name' ? 'NAME' : 'CREATED_AT'}, order: ${args.order === 'asc' ? 'ASC' : 'DESC'}`,
    ...(args.category === undefined ? [] : [`categoryCode: "${args.category}"`]),
    ...(args.area === undefined ? [] : [`administrativeAreaCode: "${args.area}"`]),
    ...(args.parentId === undefined ? [] : [`parentItemId: ${JSON.stringify(args.parentId)}`]),
  ]
  return { args, text: texts.join(', ') }
}

function itemsField(random: Random, world: World): Field<Dataset> {
  const { args, text } = listArguments(random, world)
  const limit = random.pick([2, 8])
  const page = random.pick([1, 1, 1, 2])
  const { text: fields, read } = itemSelection(random)
  return {
    name: 'items',
    text: `items(page: ${page}, limit: ${limit}, ${text}) { total nodes ${fields} }`,
    read: ({ id }, view) => {
      const all = view.list(id, args)
      return pageOf(all, (item) => read(item, view), all.slice((page - 1) * limit, page * limit))
    },
  }
}

function connectionField(random: Random, world: World): Field<Dataset> {
  const { args, text } = listArguments(random, world)
  const isForward = random.chance(0.6)
  const limit = random.pick([1, 3, 8])
  const { text: fields, read } = itemSelection(random)
  return {
    name: 'itemConnection',
    text: `itemConnection(${isForward ? 'first' : 'last'}: ${limit}, ${text}) {
      totalCount nodes ${fields} pageInfo { hasNextPage hasPreviousPage } }`,
    read: ({ id }, view) => {
      const all = view.list(id, args)
      const nodes = isForward ? all.slice(0, limit) : all.slice(-limit)
      const isCut = all.length > limit
      const pageInfo = { hasNextPage: isForward && isCut, hasPreviousPage: !isForward && isCut }
      return { totalCount: all.length, nodes: nodes.map((item) => read(item, view)), pageInfo }
    },
  }
}

function facetsField(random: Random): Field<Dataset> {
  const field = random.pick(['category', 'area'] as const)
  const name = field === 'category' ? 'categories' : 'administrativeAreas'
  return { name, text: `${name} { code total }`, read: ({ id }, view) => view.facets(id, field) }
}

function nearbyField(random: Random): Field<Dataset> {
  const category = random.chance(0.4) ? random.pick(CATEGORIES) : undefined
  const filter = category === undefined ? '' : `, categoryCode: "${category}"`
  const args = `latitude: ${POINT.latitude}, longitude: ${POINT.longitude}, limit: 20${filter}`
  return {
    name: 'nearbyItems',
    text: `nearbyItems(${args}) { total nodes { item { name } } }`,
    read: ({ id }, view) => {
      const found = view.nearby(100, id).filter((item) => category === undefined || item.category === category)
      return pageOf(found, ({ name }) => ({ item: { name } }))
    },
  }
}

function searchField(): Field<Dataset> {
  return {
    name: 'searchItems',
    text: 'searchItems(text: "gate") { total nodes { name } }',
    read: ({ id }, view) => pageOf(view.search('gate', id), ({ name }) => ({ name })),
  }
}

/** A page of some items, with the number of all. */
export function pageOf(all: readonly Item[], read: (item: Item) => unknown, nodes = all): object {
  return { total: all.length, nodes: nodes.map(read) }
}

function extentField(): Field<Dataset> {
  const latitude = (step: number) => Number((POINT.latitude + step / 10_000).toFixed(4))
  return {
    name: 'extent',
    text: 'extent { west south east north }',
    read: ({ id }, view) => {
      const steps = view.items(id).map(({ step }) => step)
      if (steps.length === 0) return null
      const [west, east] = [POINT.longitude, POINT.longitude]
      return { west, south: latitude(Math.min(...steps)), east, north: latitude(Math.max(...steps)) }
    },
  }
}

function ownerField(): Field<Item> {
  return {
    name: 'dataset',
    text: 'dataset { slug description }',
    read: ({ datasetId }, view) => {
      const dataset = view.catalog.datasets.find(({ id }) => id === datasetId)
      return { slug: dataset?.slug, description: dataset?.description }
    },
  }
}

function parentField(): Field<Item> {
  return {
    name: 'parent',
    text: 'parent { id name }',
    read: ({ parentId }, view) => {
      const parent = view.catalog.items.find(({ id }) => id === parentId)
      return parent ? { id: parent.id, name: parent.name } : null
    },
  }
}

function childrenField(): Field<Item> {
  return {
    name: 'children',
    text: 'children(limit: 4) { total nodes { id name } }',
    read: ({ id, datasetId }, view) => {
      const children = view.list(datasetId, { parentId: id })
      return pageOf(children, ({ id, name }) => ({ id, name }), children.slice(0, 4))
    },
  }
}

function imagesField(): Field<Item> {
  return {
    name: 'images',
    text: 'images { id altText sortOrder }',
    read: ({ id }, view) =>
      view.images(id).map((image) => ({ id: image.id, altText: image.altText, sortOrder: image.sortOrder })),
  }
}
