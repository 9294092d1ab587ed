import { readFileSync } from 'node:fs'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { type Point, pointAt, straightLine } from '../catalog/circle.ts'
import type { StoredPlace } from '../rows/places.ts'

/** A place in degrees. */
export interface Place {
  longitude: number
  latitude: number
}

interface City {
  name: string
  latitude: number
  point: Point
}

const BASE_MAP = new URL('../generated/base-map.json', import.meta.url)
const ZOOM = 6
let cities: readonly City[] | undefined

const FARTHEST_KM = 1_000

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

/** Degrees to the east. A place on the line where outlines meet, such as 180, is in none of them. */
const BESIDE = [0, -0.01, 0.01]

/** Says where a place is: `South Korea, 5 km from Seoul`. Waters count as their country's, so the nearest city stands beside it. */
export async function describePlace(place: Place): Promise<string> {
  const { feature } = await loadCountries()
  const features = BESIDE.map((degrees) => feature([place.longitude + degrees, place.latitude], WITH_CODE))
  const country = features.find(Boolean)?.properties.nameEn ?? 'no country'
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

/** Degrees to the north or south in which a nearest city is looked for. */
const NEAR = 5

/** The nearest city of the base map; undefined on an ocean. */
export function nearestCity(place: Place): { name: string; km: number } | undefined {
  cities ??= readCities()
  const here = pointAt(place.latitude, place.longitude)
  let nearest: { name: string; km: number } | undefined
  for (const { name, latitude, point } of cities) {
    if (Math.abs(latitude - place.latitude) > NEAR) continue
    const km = straightLine(here, point) / 1000
    if (km < (nearest?.km ?? FARTHEST_KM)) nearest = { name, km }
  }
  return nearest
}

/** Reads the cities of the base map of the explorer. Its tiles of this zoom have all. */
function readCities(): City[] {
  const tiles: Record<string, string> = JSON.parse(readFileSync(BASE_MAP, 'utf8'))
  return Object.entries(tiles).flatMap(([path, tile]) => {
    const [z = 0, x = 0, y = 0] = path.split('/').map(Number)
    if (z !== ZOOM) return []
    const { cities: layer } = new VectorTile(new PbfReader(Buffer.from(tile, 'base64'))).layers
    return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index)).flatMap((feature) => {
      const geometry = feature?.toGeoJSON(x, y, z).geometry
      if (!feature || geometry?.type !== 'Point') return []
      const [longitude = 0, latitude = 0] = geometry.coordinates
      return { name: String(feature.properties.name), latitude, point: pointAt(latitude, longitude) }
    })
  })
}
