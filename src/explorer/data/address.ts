import { type Bounds, LATITUDES, LONGITUDES, parseBox, parseNumbers } from '../map/box.ts'
import { chosenLanguage } from '../shared/language.ts'
import { COLUMNS, firstPage, parseTable, type Table, writeTable } from './table-columns.ts'

/*
 * The view as the address of the page: the dataset, the place on the map, the filters and the search. The address never
 * contains the key.
 */

export interface View {
  /** Slug or UUID; undefined for all datasets. Then there are no filters, because codes are those of a dataset. */
  dataset?: string | undefined
  /** Slugs or UUIDs of two or more datasets side by side. Then `dataset` is undefined. */
  compared?: readonly string[] | undefined
  /** The map's centre in degrees, and its zoom. */
  at?: { latitude: number; longitude: number; zoom: number } | undefined
  category?: string | undefined
  area?: string | undefined
  /** A search around a point: degrees and metres. */
  near?: { latitude: number; longitude: number; radius: number } | undefined
  /** A search for words in names. */
  text?: string | undefined
  /** A search in a box: west, south, east, north in degrees. */
  within?: Bounds | undefined
  /** Whether the page of the dataset is shown instead of its places. */
  isAbout?: boolean | undefined
  /** The places as a table; undefined for a list. */
  table?: Table | undefined
  /** UUID of the item that is shown. */
  item?: string | undefined
}

export const MAX_RADIUS_METRES = 50_000
export const DEFAULT_RADIUS_METRES = 1_000
const RADII = [1, MAX_RADIUS_METRES] as const
/** The map's own limits. Below zero, the world is narrower than 512 pixels, as on a phone. */
const ZOOMS = [-2, 22] as const

/** Whether a view shows the results of a search by name or in a box. */
export function isSearch({ text, within, near }: View): boolean {
  return near === undefined && (text !== undefined || within !== undefined)
}

/** Whether a view shows places: of a dataset, of a search or around a point. */
export function hasPlaces(view: View): boolean {
  return view.dataset !== undefined || view.compared !== undefined || view.near !== undefined || isSearch(view)
}

/** Whether a person can choose the order of a view's places. A search and a circle have their own. */
export function isSortable({ near, ...view }: View): boolean {
  return near === undefined && !isSearch(view)
}

/** Returns the table of a view; undefined for a list, and where there are no places. */
export function tableOf(view: View): Table | undefined {
  return hasPlaces(view) ? view.table : undefined
}

/** Whether two views differ at most in their tables and in the place of the map. */
export function haveSamePlaces(left: View, right: View): boolean {
  const [one, other] = [left, right].map((view) => formatAddress({ ...view, at: undefined, table: undefined }))
  return one === other
}

/** Returns the list of a view with other filters. A search in the visible part of the map must not move the map. */
export function refined(view: View, filters: Pick<View, 'category' | 'area' | 'near' | 'dataset' | 'compared'>): View {
  const list = { item: undefined, isAbout: undefined, table: firstPage(view.table) }
  return { ...view, ...list, at: view.within && view.at, ...filters }
}

/** What stays of a view when a person searches elsewhere in the same places. */
export function placesOf({ dataset, compared, category, area }: View): View {
  return { dataset, compared, category, area }
}

/** The parameters of tiles and exports for the filters of a view. */
export function filtersOf({ category, area }: View): Record<string, string> {
  return { ...(category && { categoryCode: category }), ...(area && { administrativeAreaCode: area }) }
}

/** Parses the query string of an address. It leaves out invalid parts. */
export function parseAddress(search: string): View {
  const params = new URLSearchParams(search)
  const text = (name: string) => params.get(name) || undefined
  const [latitude = 0, longitude = 0, zoom] = parseNumbers(params.get('at'), [LATITUDES, LONGITUDES, ZOOMS])
  const [nearLatitude = 0, nearLongitude = 0, radius] = parseNumbers(params.get('near'), [LATITUDES, LONGITUDES, RADII])
  // No slug has a comma.
  const [dataset, ...others] = new Set((params.get('dataset') ?? '').split(',').filter((slug) => slug !== ''))
  return {
    dataset: others.length > 0 ? undefined : dataset,
    ...(dataset && others.length > 0 && { compared: [dataset, ...others] }),
    ...(dataset && others.length === 0 && { category: text('category'), area: text('area') }),
    text: text('text')?.trim() || undefined,
    within: parseBox(params.get('within')),
    item: text('item'),
    table: parseTable(params),
    isAbout: params.get('view') === 'about' || undefined,
    at: zoom === undefined ? undefined : { latitude, longitude, zoom },
    near: radius === undefined ? undefined : { latitude: nearLatitude, longitude: nearLongitude, radius },
  }
}

/** The parameters of an address. Others, such as `utm_source`, are of other programs. */
const PARAMETERS = [
  ...['dataset', 'category', 'area', 'text', 'within', 'near', 'item', 'at', 'lang'],
  ...['view', 'columns', 'sort', 'order', 'page'],
]
const DEFAULTS = ['sort=name', 'order=asc', 'page=1']

/** Returns the parts of a query string that `parseAddress` leaves out, as they are written, such as `near=abc`. */
export function badParts(search: string): string[] {
  const understood = new URLSearchParams(formatAddress(parseAddress(search)))
  return [...new URLSearchParams(search)]
    .filter(([name, value]) => {
      if (!PARAMETERS.includes(name) || value.trim() === '' || DEFAULTS.includes(`${name}=${value}`)) return false
      if (name !== 'columns') return !understood.has(name)
      return value.split(',').some((column) => !COLUMNS.some(({ field }) => field === column))
    })
    .map(([name, value]) => `${name}=${value}`)
}

/** Writes a view as a query string, or as the address of the page without one. */
export function formatAddress(view: View): string {
  const { compared, category, area, text, within, item, at, near, table, isAbout } = view
  const dataset = compared?.join() ?? view.dataset
  const params = new URLSearchParams()
  if (dataset) params.set('dataset', dataset)
  if (category) params.set('category', category)
  if (area) params.set('area', area)
  if (text) params.set('text', text)
  if (within) params.set('within', within.join())
  if (near) params.set('near', Object.values(roundedCircle(near)).join())
  if (isAbout) params.set('view', 'about')
  else if (table) writeTable(table, params)
  if (item) params.set('item', item)
  if (at) params.set('at', `${round(at.latitude, 5)},${round(at.longitude, 5)},${round(at.zoom, 2)}`)
  if (chosenLanguage) params.set('lang', chosenLanguage)
  const query = params.toString().replaceAll('%2C', ',')
  return query === '' ? './' : `?${query}`
}

/** Returns a circle as the address has it. A point of the map has more decimals than it is exact to. */
export function roundedCircle({ latitude, longitude, radius }: NonNullable<View['near']>): NonNullable<View['near']> {
  return { latitude: round(latitude, 6), longitude: round(longitude, 6), radius: round(radius, 1) }
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
