import type { VNode } from 'preact'
import { tableOf, type View } from '../data/address.ts'
import { ask } from '../data/api-request.ts'
import { type Codes, type Dataset, findDataset, type ListedItem } from '../data/datasets.ts'
import type { Row, Table } from '../data/table-columns.ts'
import type { Position } from '../map/box.ts'
import { AboutView } from '../views/about/about-view.tsx'
import { aboutRequest } from '../views/about/request.ts'
import { CompareView, readCompared } from '../views/compare/compare-view.tsx'
import { ItemView } from '../views/item/item-view.tsx'
import { type Item, readItem } from '../views/item/request.ts'
import { type PlacesProps, PlacesView } from '../views/places/places-view.tsx'
import { PAGE_SIZE, type Page, readNearest, readPlaces } from '../views/places/request.ts'
import { readSuggestions } from '../views/search/suggestions.tsx'
import { TableView } from '../views/table/table-view.tsx'

/*
 * Reads the data of a view other than the list of datasets, and gives them to its component.
 */

export interface Loaded {
  content: VNode
  /** The view itself, unless its table has no such page. */
  view: View
  /** The places in the list, and how many there are in all pages. */
  found?: { places: readonly Position[]; least: number; total: Promise<number> }
  item?: Item
  /** What is proposed where nothing was found. */
  proposed?: readonly ListedItem[]
}

export interface Source {
  datasets: readonly Dataset[]
  /** The codes of the view's dataset. The list does not wait for them. */
  codes: Promise<Codes>
  signal: AbortSignal
  /** Shows a list with one page more. */
  more: (load: () => Promise<Loaded>) => void
}

/** Loads a view; undefined if there is nothing to show. */
export async function loadPlaceView(view: View, source: Source): Promise<Loaded | undefined> {
  const { signal } = source
  const { item: id, isAbout, dataset, compared } = view
  const table = tableOf(view)
  if (id !== undefined) {
    const item = await readItem(id, signal)
    return item ? { view, item, content: <ItemView item={item} /> } : undefined
  }
  if (isAbout && dataset !== undefined) return loadAbout(view, dataset, source)
  if (compared) return loadCompared(view, compared, source)
  if (table) return loadTable(view, table, source)
  return loadPlaces(view, source, [])
}

const SAMPLE_ROWS = 5

async function loadAbout(view: View, slug: string, { datasets, signal }: Source): Promise<Loaded | undefined> {
  const [{ dataset: about }, { items }] = await Promise.all([
    ask(aboutRequest(slug), signal),
    readPlaces({ dataset: slug }, undefined, signal),
  ])
  const dataset = findDataset(datasets, view)
  const sample = items.slice(0, SAMPLE_ROWS)
  // The total of the list of datasets may be older than those of the categories.
  const counted = dataset && { ...dataset, items: about.items }
  return counted && { view, content: <AboutView dataset={counted} about={about} sample={sample} /> }
}

async function loadCompared(view: View, compared: readonly string[], { datasets, signal }: Source): Promise<Loaded> {
  const results = await readCompared(view, compared, datasets, signal)
  const lists = results.flatMap((each) => ('error' in each ? [] : each))
  const places = lists.flatMap(({ items }) => items)
  const total = Promise.resolve(lists.reduce((sum, each) => sum + each.total, 0))
  return { view, content: <CompareView results={results} />, found: { places, least: places.length, total } }
}

/** Loads the next page of a list, below the places before. */
async function loadPlaces(
  view: View,
  source: Source,
  before: readonly ListedItem[],
  known?: Promise<number>,
): Promise<Loaded> {
  const page = before.length / PAGE_SIZE + 1
  const { items: next, total } = await readPlaces(view, page === 1 ? undefined : page, source.signal, known)
  const items = [...before, ...next]
  const found = { places: items, least: items.length, total }
  return loadList(view, source, found, { items, more: () => source.more(() => loadPlaces(view, source, items, total)) })
}

async function loadTable(view: View, table: Table, source: Source): Promise<Loaded> {
  const { items: rows, total }: Page<Row> = await readPlaces<Row>(view, undefined, source.signal)
  const last = rows.length === 0 ? Math.ceil((await total) / PAGE_SIZE) : table.page
  // A link may have a page that the dataset no longer has.
  if (last >= 1 && last < table.page) {
    const other = { ...table, page: last }
    return loadTable({ ...view, table: other }, other, source)
  }
  const least = rows.length === 0 ? 0 : (table.page - 1) * PAGE_SIZE + rows.length
  const shown = { items: [], table: <TableView table={table} rows={rows} total={total} /> }
  return loadList(view, source, { places: rows, least, total }, shown)
}

/** Shows what was found or, if there is nothing, what was probably meant, or the nearest place. */
async function loadList(
  view: View,
  { codes, signal }: Source,
  found: NonNullable<Loaded['found']>,
  shown: Pick<PlacesProps, 'items' | 'table' | 'more'>,
): Promise<Loaded> {
  const { least, total } = found
  const propose = () =>
    view.near ? readNearest(view, view.near, signal) : readSuggestions({ ...view, table: undefined }, signal)
  const proposed = least === 0 ? await propose() : undefined
  const content = <PlacesView {...shown} total={total} least={least} codes={codes} suggestions={proposed} />
  return { view, content, found, ...(proposed && { proposed }) }
}
