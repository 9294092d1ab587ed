import { at, elements, failed, members, type Observed, type Question, SUCCESS } from './question.ts'
import type { Random } from './random.ts'
import { datasetSelection, itemSelection, nodeSelection, pageOf, type Selection } from './selections.ts'
import type { Failure, View } from './view.ts'
import { POINT, SLUGS, type World } from './world.ts'

/*
 * Random GraphQL documents. A document is a list of root fields, each with the value that the model expects.
 */

interface RootField {
  text: string
  /** Whether an error of this field makes the whole answer null. */
  isRequired?: boolean
  read: (view: View) => unknown
}

/** A document with one to four root fields in random order. */
export function graphqlQuestion(random: Random, world: World): Question {
  // An answer with an error is not cached, so the fields of a document mostly name the same dataset.
  const place = random.below(SLUGS.length)
  const names = random.chance(0.7) ? [SLUGS[place], world.datasetIds[place]] : [...SLUGS, ...world.datasetIds]
  const datasets = names.filter((name) => name !== undefined)
  const fields = Array.from({ length: random.pick([1, 2, 2, 3, 4]) }, (_, n) => ({
    name: `f${n}`,
    ...rootField(random, world, datasets),
  }))
  const query = `{ ${fields.map(({ name, text }) => `${name}: ${text}`).join(' ')} }`
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
    observe: ({ status, body }) => {
      const answer: unknown = JSON.parse(body.toString())
      const codes = new Map(elements(at(answer, 'errors')).map((error) => [pathOf(error), codeOf(error)]))
      const outcome = at(answer, 'data') ? SUCCESS : (codes.get('') ?? codeOfBody(status, answer) ?? NO_DATA)
      const broken = [...codes.values()].find((code) => code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR')
      if (outcome !== SUCCESS || broken) return failed(broken ?? outcome)
      const parts = Object.entries(members(at(answer, 'data')))
      return success(parts.map(([name, value]) => [name, codes.get(name) ?? JSON.stringify(value)]))
    },
    expect: (view) => {
      const values = fields.map(({ name, read, isRequired = false }) => ({ name, isRequired, value: read(view) }))
      if (values.some(({ isRequired, value }) => isRequired && typeof value === 'string')) return failed(NO_DATA)
      return success(values.map(({ name, value }) => [name, typeof value === 'string' ? value : JSON.stringify(value)]))
    },
  }
}

/** The answer if a field that must not be null has an error. */
const NO_DATA = 'no data'

const success = (parts: [string, string][]): Observed => ({ outcome: SUCCESS, parts: Object.fromEntries(parts) })
const pathOf = (error: unknown) => elements(at(error, 'path')).join('.')
const codeOf = (error: unknown) => String(at(error, 'extensions', 'code'))
const codeOfBody = (status: number, body: unknown) =>
  status === 200 ? undefined : String(at(elements(at(body, 'errors'))[0], 'extensions', 'code') ?? status)

function rootField(random: Random, world: World, datasets: readonly string[]): RootField {
  const kind = random.weighted({ dataset: 6, datasets: 5, item: 1, nodes: 4, nearby: 2, search: 2, suggest: 1 })
  const dataset = random.chance(0.3) ? random.pick(datasets) : undefined
  const argument = dataset === undefined ? '' : `, datasetId: "${dataset}"`
  if (kind === 'dataset') return datasetField(random, world, random.pick(datasets))
  if (kind === 'datasets') {
    const selection = datasetSelection(random, world, 1)
    const read = (view: View) => ({
      ...{ total: view.datasets().length, nodes: view.datasets().map((each) => selection.read(each, view)) },
    })
    return { text: `datasets { total nodes ${selection.text} }`, read }
  }
  if (kind === 'item') {
    const id = random.pick(world.itemIds)
    const selection = itemSelection(random)
    return { text: `item(id: "${id}") ${selection.text}`, read: (view) => orFailure(view.item(id), selection, view) }
  }
  if (kind === 'nodes') return nodesField(random, world)
  if (kind === 'nearby') {
    const { steps, radius } = random.pick(RADII)
    const selection = itemSelection(random)
    const args = `latitude: ${POINT.latitude}, longitude: ${POINT.longitude}, radius: ${radius}, limit: 20${argument}`
    const read = (view: View) =>
      view.within(dataset, (id) => pageOf(view.nearby(steps, id), (item) => ({ item: selection.read(item, view) })))
    return { isRequired: true, text: `nearbyItems(${args}) { total nodes { item ${selection.text} } }`, read }
  }
  if (kind === 'suggest') return suggestField(random, dataset)
  const text = random.pick(TEXTS)
  const selection = itemSelection(random)
  const read = (view: View) =>
    view.within(dataset, (id) => pageOf(view.search(text, id), (item) => selection.read(item, view)))
  return {
    isRequired: true,
    text: `searchItems(text: "${text}", limit: 20${argument}) { total nodes ${selection.text} }`,
    read,
  }
}

/** The items whose names begin with a word: no other name is like it. */
function suggestField(random: Random, dataset: string | undefined): RootField {
  const argument = dataset === undefined ? '' : `, datasetId: "${dataset}"`
  const selection = itemSelection(random)
  const read = (view: View) =>
    view.within(dataset, (id) => view.beginning('tower', id).map((item) => selection.read(item, view)))
  return { isRequired: true, text: `suggestItems(text: "tower", limit: 20${argument}) ${selection.text}`, read }
}

/** Each radius in metres, and the number of steps of 11.1 metres within it. */
export const RADII = [
  { radius: 1000, steps: 100 },
  { radius: 205, steps: 18 },
] as const
export const TEXTS = ['gate', 'hall', 'gate hall', 'g', 'tower'] as const

function datasetField(random: Random, world: World, name: string): RootField {
  const selection = datasetSelection(random, world, 2)
  return {
    text: `dataset(id: "${name}") ${selection.text}`,
    read: (view) => orFailure(view.dataset(name), selection, view),
  }
}

function nodesField(random: Random, world: World): RootField {
  const ids = random.some([...world.datasetIds, ...world.itemIds, ...world.imageIds], 2).slice(0, 8)
  const selection = nodeSelection()
  return {
    text: `nodes(ids: ${JSON.stringify(ids)}) ${selection.text}`,
    read: (view) => ids.map((id) => selection.read(id, view)),
  }
}

function orFailure<Source extends object>(source: Source | Failure, selection: Selection<Source>, view: View): unknown {
  return typeof source === 'string' ? source : selection.read(source, view)
}
