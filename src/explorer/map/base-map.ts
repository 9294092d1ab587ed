import type { LayerSpecification } from 'maplibre-gl'
import { locale } from '../shared/language.ts'
import { readPageData } from '../shared/page-data.ts'
import { type Bounds, contains, type Position } from './box.ts'
import type { Colours } from './colours.ts'
import { type DrawnBaseMap, WORLD_CREDIT, worldMap } from './world.ts'

/*
 * The base map: that of the package, or the one that the operator configured with `BASE_MAP`.
 */

export interface BaseMap {
  draw: (colour: Colours) => DrawnBaseMap
  credit: string
}

/** The base map that needs no configuration. */
export const WORLD: BaseMap = {
  draw: (colour) => worldMap(colour, [locale, ...navigator.languages]),
  credit: WORLD_CREDIT,
}

/** Where the map of the package has roads and districts. */
const SEOUL: Bounds = [126.76, 37.42, 127.19, 37.7]

/** The zoom at which a place is shown. Beyond it the map of the package has hardly a name beside the place. */
export function placeZoom({ latitude, longitude }: Position): number {
  if (readPageData().baseMap) return 14
  return contains(SEOUL, Number(latitude), Number(longitude)) ? 13 : 11
}

/** Loads the configured base map. Throws an error if it can't be loaded. */
export async function loadBaseMap(): Promise<BaseMap> {
  const { baseMap } = readPageData()
  if (!baseMap) return WORLD
  const url = new URL(baseMap.url, location.href).href
  if (baseMap.kind === 'raster') return rasterMap(decodeURI(url))
  if (baseMap.kind === 'pmtiles') return pmtilesMap(url)
  const day = await loadStyle(url)
  const night = baseMap.dark === undefined ? day : await loadStyle(baseMap.dark)
  return {
    draw: ({ isDark }) => (isDark ? night : day).drawn,
    credit: baseMap.credit ?? day.credits,
  }
}

function rasterMap(url: string): BaseMap {
  const sources: DrawnBaseMap['sources'] = { base: { type: 'raster', tiles: [url], tileSize: 256, maxzoom: 19 } }
  const layers: LayerSpecification[] = [{ id: 'base', type: 'raster', source: 'base' }]
  return { draw: () => ({ sources, layers }), credit: new URL(url).host }
}

/** Reads a style and the credit lines of its sources. */
async function loadStyle(url: string): Promise<{ drawn: DrawnBaseMap; credits: string }> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answers with ${response.status}`)
  const { sources, layers, sprite }: DrawnBaseMap = await response.json()
  const credits = Object.values(sources).flatMap((source) =>
    'attribution' in source ? plainText(source.attribution) : [],
  )
  const absolute = typeof sprite === 'string' ? new URL(sprite, url).href : undefined
  // Its fonts are left out: MapLibre draws all letters with the fonts of the reader's system.
  const drawn = { sources, layers, ...(absolute !== undefined && { sprite: absolute }) }
  return { drawn, credits: [...new Set(credits)].join(' ') }
}

async function pmtilesMap(url: string): Promise<BaseMap> {
  const { loadPmtiles } = await import('./pmtiles-map.ts')
  const { draw, credit } = await loadPmtiles(url)
  return { draw: ({ isDark }) => draw(isDark), credit: plainText(credit) }
}

/** The text of a credit line, which may be HTML. */
function plainText(html = ''): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? ''
}
