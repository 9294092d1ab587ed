import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { answered, at, codeOf, elements, failed, found, get, observeJson, type Question } from './question.ts'
import type { Random } from './random.ts'
import { compare, type View } from './view.ts'
import { CATEGORIES, type Dataset, type Item } from './world.ts'

/*
 * Questions to /ogc, /tiles and /exports.
 */

/** The category that a request selects, or none. */
function filterOf(random: Random) {
  const category = random.chance(0.3) ? random.pick(CATEGORIES) : undefined
  return {
    parameter: category === undefined ? '' : `categoryCode=${category}`,
    isSelected: (item: Item) => category === undefined || item.category === category,
  }
}

/** A request for the collections, or for the features of one. */
export function ogcQuestion(random: Random, dataset: string): Question {
  if (random.chance(0.4)) {
    const read = (view: View) =>
      view.datasets().map((each) => [each.slug, each.name, each.description, hasItems(view, each)])
    const describe = (each: unknown) => [
      at(each, 'id'),
      at(each, 'title'),
      at(each, 'description'),
      at(each, 'extent') !== undefined,
    ]
    return {
      ...get('/ogc/collections', 'application/json'),
      observe: observeJson((body) => elements(at(body, 'collections')).map(describe)),
      expect: (view) => found(read(view)),
    }
  }
  const limit = random.pick([2, 50])
  const { parameter, isSelected } = filterOf(random)
  return {
    ...get(`/ogc/collections/${dataset}/items?limit=${limit}&${parameter}`, 'application/geo+json'),
    observe: observeJson((body) => [
      at(body, 'numberMatched'),
      elements(at(body, 'features')).map((feature) => [at(feature, 'id'), at(feature, 'properties', 'name')]),
    ]),
    expect: (view) =>
      answered(
        view.within(dataset, (id) => {
          const items = sortedById(view.items(id).filter(isSelected))
          return [items.length, items.slice(0, limit).map((item) => [item.id, item.name])]
        }),
      ),
  }
}

const sortedById = (items: Item[]) => items.sort((a, b) => compare(a.id, b.id))
const hasItems = (view: View, { id }: Dataset) => view.items(id).length > 0

/** The tile of the whole world. It has few items, so none is in a cluster. */
export function tileQuestion(random: Random, dataset: string): Question {
  const { parameter, isSelected } = filterOf(random)
  const featureOf = ({ id, name, category, datasetId }: Item) => [id, name, category, datasetId]
  return {
    ...get(`/tiles/${dataset}/0/0/0.mvt?${parameter}`, '*/*'),
    observe: ({ status, body }) => {
      if (status !== 200) return failed(codeOf(status, JSON.parse(body.toString())))
      const layer = new VectorTile(new PbfReader(body)).layers.items
      const features = Array.from({ length: layer?.length ?? 0 }, (_, n) => layer?.feature(n).properties)
      const records = features.map((each) => ['id', 'name', 'categoryCode', 'datasetId'].map((name) => at(each, name)))
      return found(records.sort((a, b) => compare(String(a[0]), String(b[0]))))
    },
    expect: (view) =>
      answered(
        view.within(dataset === 'all' ? undefined : dataset, (id) =>
          sortedById(view.items(id).filter(isSelected)).map(featureOf),
        ),
      ),
  }
}

/** A request for the export of a dataset. */
export function exportQuestion(random: Random, dataset: string): Question {
  const { parameter, isSelected } = filterOf(random)
  const lineOf = (item: Item) => [item.id, item.name, item.parentId]
  return {
    ...get(`/exports/${dataset}.ndjson?${parameter}`, '*/*'),
    observe: ({ status, body }) => {
      const text = body.toString()
      if (status !== 200) return failed(codeOf(status, JSON.parse(text)))
      const lines: unknown[] = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
      return found(lines.map((line) => [at(line, 'id'), at(line, 'name'), at(line, 'parentItemId')]))
    },
    expect: (view) => answered(view.within(dataset, (id) => sortedById(view.items(id).filter(isSelected)).map(lineOf))),
  }
}
