import { readFileSync } from 'node:fs'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { StoredPlace } from '../rows/places.ts'

/** A place in degrees. */
export interface Place {
  longitude: number
  latitude: number
}

interface City extends Place {
  name: string
}

/** The base map of the explorer. Its tiles of this zoom have all its cities. */
const BASE_MAP = new URL('../generated/base-map.json', import.meta.url)
const ZOOM = 6
const TILES = 2 ** ZOOM
let tiles: Readonly<Record<string, string>> | undefined
const cities = new Map<string, readonly City[]>()

/** Kilometres on a sphere as large as the earth. */
const RADIUS_KM = 6371

// Other commands need none of its 700 kB.
const loadCountries = () => import('@rapideditor/country-coder')

/** A country by its code of ISO 3166-1, or by its English name; undefined if there is none. */
export async function findCountry(name: string): Promise<{ code: string; name: string } | undefined> {
  const { feature } = await loadCountries()
  const { iso1A2: code, nameEn, level } = feature(name.trim())?.properties ?? {}
  return code === undefined || nameEn === undefined || level === 'union' ? undefined : { code, name: nameEn }
}

/** Returns a function that says whether a place is in a country or its waters. */
export async function countryTest(code: string): Promise<(place: Place) => boolean> {
  const { iso1A2Codes } = await loadCountries()
  return ({ longitude, latitude }) => iso1A2Codes([longitude, latitude]).includes(code)
}

/** Hong Kong and Puerto Rico have codes of their own. */
const WITH_CODE = { level: 'territory', withProp: 'iso1A2' }

/** Says where a place is: `South Korea, 5 km from Seoul`. Waters count as their country's, so the nearest city stands beside it. */
export async function describePlace(place: Place): Promise<string> {
  const { feature } = await loadCountries()
  const country = feature([place.longitude, place.latitude], WITH_CODE)?.properties.nameEn ?? 'in no country'
  const nearest = nearestCity(place)
  return `${country}, ${nearest ? `${Math.round(nearest.km)} km from ${nearest.name}` : 'far from any city'}`
}

/** A place as it would be stored, and where it is. */
export interface Located extends StoredPlace {
  where: string
}

/** Says where each place is. */
export function locate(places: readonly StoredPlace[]): Promise<Located[]> {
  return Promise.all(
    places.map(async (place) => ({
      ...place,
      where: await describePlace({ latitude: Number(place.latitude), longitude: Number(place.longitude) }),
    })),
  )
}

/** The nearest city of the base map, if one is near enough to be in a tile around. */
export function nearestCity(place: Place): { name: string; km: number } | undefined {
  const [column, row] = tileOf(place)
  // A city in the next tiles may be nearer than one in the tile.
  for (const rings of [1, 3]) {
    const around = Array.from({ length: 2 * rings + 1 }, (_, index) => index - rings)
    const near = around.flatMap((east) =>
      around.flatMap((south) => citiesIn((column + east + TILES) % TILES, row + south)),
    )
    const [first] = near
      .map((city) => ({ name: city.name, km: distanceKm(place, city) }))
      .sort((one, two) => one.km - two.km)
    if (first) return first
  }
  return undefined
}

/** The tile of a place in Web Mercator. */
function tileOf({ longitude, latitude }: Place): [number, number] {
  const mercator = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI
  const clamp = (share: number) => Math.max(0, Math.min(TILES - 1, Math.floor(share * TILES)))
  return [clamp((longitude + 180) / 360), clamp((1 - mercator) / 2)]
}

function citiesIn(x: number, y: number): readonly City[] {
  tiles ??= JSON.parse(readFileSync(BASE_MAP, 'utf8'))
  const key = `${ZOOM}/${x}/${y}`
  const found = cities.get(key) ?? decodeCities(tiles?.[key] ?? '', x, y)
  cities.set(key, found)
  return found
}

function decodeCities(tile: string, x: number, y: number): City[] {
  const { cities: layer } = new VectorTile(new PbfReader(Buffer.from(tile, 'base64'))).layers
  return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index)).flatMap((feature) => {
    const geometry = feature?.toGeoJSON(x, y, ZOOM).geometry
    const [longitude, latitude] = geometry?.type === 'Point' ? geometry.coordinates : []
    if (longitude === undefined || latitude === undefined) return []
    return { name: String(feature?.properties.name), longitude, latitude }
  })
}

function distanceKm(one: Place, two: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const [north, east] = [radians(two.latitude - one.latitude), radians(two.longitude - one.longitude)]
  const chord =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(one.latitude)) * Math.cos(radians(two.latitude)) * Math.sin(east / 2) ** 2
  return 2 * RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}
