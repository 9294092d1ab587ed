import { RADII, TEXTS } from './graphql.ts'
import { answered, at, codeOf, elements, failed, found, get, type Observed, type Question } from './question.ts'
import type { Random } from './random.ts'
import type { Failure, View } from './view.ts'
import { CATEGORIES, type Dataset, type Image, type Item, POINT, SLUGS, type World } from './world.ts'

/*
 * Random questions to the routes of /v1 and to the tools of /mcp, which have the same resources.
 */

/** A resource that REST and MCP have: how each asks for it, and its data and total. */
interface Resource {
  path: string
  tool: string
  given: object
  fields: readonly string[]
  read: (view: View) => { data: unknown; total?: number } | Failure
}

const DATASET_FIELDS = ['id', 'slug', 'name', 'description', 'visibility', 'accessTier']
const LISTED_FIELDS = [...DATASET_FIELDS, 'status']
const ITEM_FIELDS = ['id', 'datasetId', 'name', 'description', 'administrativeAreaCode', 'categoryCode', 'parentItemId']
const NEARBY_FIELDS = ITEM_FIELDS.slice(0, -1)

const datasetOf = ({ id, slug, name, description, visibility, accessTier }: Dataset) => ({
  ...{ id, slug, name, description, visibility, accessTier },
})
const itemOf = ({ id, datasetId, name, description, area, category, parentId }: Item) => ({
  ...{ id, datasetId, name, description, administrativeAreaCode: area, categoryCode: category, parentItemId: parentId },
})
const nearbyOf = ({ id, datasetId, name, description, area, category }: Item) => ({
  ...{ id, datasetId, name, description, administrativeAreaCode: area, categoryCode: category },
})
const imageOf = ({ id, altText, sortOrder }: Image) => ({ id, altText, sortOrder })

function resource(random: Random, world: World): Resource {
  const dataset = random.pick([...SLUGS, ...world.datasetIds])
  const kind = random.weighted({ datasets: 2, dataset: 3, items: 3, item: 2, nearby: 2, search: 2 })
  if (kind === 'search') return foundItems(random, random.chance(0.3) ? dataset : undefined)
  if (kind === 'datasets') {
    const read = (view: View) => ({
      data: view.datasets().map((each) => ({ ...datasetOf(each), status: each.status })),
      total: view.datasets().length,
    })
    return { path: '/v1/datasets', tool: 'listDatasets', given: {}, fields: LISTED_FIELDS, read }
  }
  if (kind === 'dataset') {
    const read = (view: View) => {
      const found = view.dataset(dataset)
      return typeof found === 'string' ? found : { data: datasetOf(found) }
    }
    const given = { datasetId: dataset }
    return { path: `/v1/datasets/${dataset}`, tool: 'getDataset', given, fields: DATASET_FIELDS, read }
  }
  if (kind === 'items') return itemList(random, dataset)
  if (kind === 'item') return itemDetail(random.pick(world.itemIds))
  return nearbyItems(random, random.chance(0.3) ? dataset : undefined)
}

function itemList(random: Random, dataset: string): Resource {
  const [limit, category] = [random.pick([2, 50]), random.chance(0.3) ? random.pick(CATEGORIES) : undefined]
  const given = { limit, ...(category && { categoryCode: category }) }
  return {
    path: `/v1/datasets/${dataset}/items${queryOf(given)}`,
    tool: 'listItems',
    given: { datasetId: dataset, ...given },
    fields: ITEM_FIELDS,
    read: (view) =>
      view.within(dataset, (id = '') => {
        const all = view.list(id, { category })
        return { data: all.slice(0, limit).map(itemOf), total: all.length }
      }),
  }
}

function itemDetail(id: string): Resource {
  return {
    path: `/v1/dataset-items/${id}`,
    tool: 'getItem',
    given: { itemId: id },
    fields: [...ITEM_FIELDS, 'dataset', 'images'],
    read: (view) => {
      const item = view.item(id)
      if (typeof item === 'string') return item
      const owner = view.catalog.datasets.find((each) => each.id === item.datasetId)
      const dataset = { slug: owner?.slug, name: owner?.name }
      return { data: { ...itemOf(item), dataset, images: view.images(id).map(imageOf) } }
    },
  }
}

function nearbyItems(random: Random, dataset: string | undefined): Resource {
  const { radius, steps } = random.pick(RADII)
  const given = { ...POINT, radius, ...(dataset !== undefined && { datasetId: dataset }) }
  const page = (items: readonly Item[]) => ({ data: items.map(nearbyOf), total: items.length })
  return {
    path: `/v1/dataset-items/nearby${queryOf(given)}`,
    tool: 'findNearbyItems',
    given,
    fields: NEARBY_FIELDS,
    read: (view) => view.within(dataset, (id) => page(view.nearby(steps, id))),
  }
}

/** A search by a text, a category and a circle. */
function foundItems(random: Random, dataset: string | undefined): Resource {
  const text = random.pick(TEXTS)
  const category = random.chance(0.3) ? random.pick(CATEGORIES) : undefined
  const circle = random.chance(0.4) ? random.pick(RADII) : undefined
  const given = {
    ...{ text, limit: 50 },
    ...(category && { categoryCode: category }),
    ...(circle && { ...POINT, radius: circle.radius }),
    ...(dataset !== undefined && { datasetId: dataset }),
  }
  const page = (view: View, id?: string) => {
    const found = view.search(text, id).filter((item) => category === undefined || item.category === category)
    const near = circle && view.nearby(circle.steps, id).filter((item) => found.includes(item))
    return { data: (near ?? found).map(itemOf), total: (near ?? found).length }
  }
  return {
    path: `/search${queryOf(given)}`,
    tool: 'searchItems',
    given,
    fields: ITEM_FIELDS,
    read: (view) => view.within(dataset, (id) => page(view, id)),
  }
}

/** A request to a random route of REST. */
export function restQuestion(random: Random, world: World): Question {
  const { path, fields, read } = resource(random, world)
  return {
    ...get(path, 'application/json'),
    observe: ({ status, body }) => observeEnvelope(status, JSON.parse(body.toString()), fields),
    expect: (view) => answered(read(view)),
  }
}

/** A call of a random tool of /mcp. */
export function toolQuestion(random: Random, world: World): Question {
  const { tool, given, fields, read } = resource(random, world)
  const params = { name: tool, arguments: given }
  return {
    method: 'POST',
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    observe: ({ status, body }) => {
      const message: unknown = JSON.parse(body.toString())
      const result = at(message, 'result')
      if (result === undefined) return failed(codeOf(status, message))
      const isError = at(result, 'isError') === true
      return isError
        ? failed(codeOf(0, at(result, '_meta')))
        : observeEnvelope(status, at(result, 'structuredContent'), fields)
    },
    expect: (view) => answered(read(view)),
  }
}

function observeEnvelope(status: number, body: unknown, fields: readonly string[]): Observed {
  if (status !== 200) return failed(codeOf(status, body))
  const pick = (record: unknown) => Object.fromEntries(fields.map((name) => [name, pickKnown(name, at(record, name))]))
  const data = at(body, 'data')
  const total = at(body, 'meta', 'total')
  return found({ data: Array.isArray(data) ? data.map(pick) : pick(data), ...(total !== undefined && { total }) })
}

/** Of an image, the model knows three members. */
function pickKnown(name: string, value: unknown): unknown {
  if (name !== 'images') return value
  return elements(value).map((image) => ({
    ...{ id: at(image, 'id'), altText: at(image, 'altText'), sortOrder: at(image, 'sortOrder') },
  }))
}

function queryOf(given: object): string {
  return `?${new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]))}`
}
