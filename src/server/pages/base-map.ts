import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

/*
 * The base map: land and borders of Natural Earth (public domain), from the package world-atlas, as GeoJSON.
 */

type Scale = '110m' | '50m' | '10m'
type World = Topology<{ countries: GeometryCollection; land: GeometryCollection }>

async function readWorld(name: string): Promise<World> {
  return JSON.parse(await readFile(createRequire(import.meta.url).resolve(`world-atlas/${name}.json`), 'utf8'))
}

/** Returns the land as a GeoJSON geometry. `scale` is the scale of Natural Earth. */
export async function landGeoJson(scale: Scale): Promise<string> {
  const world = await readWorld(`countries-${scale}`)
  const { features } = feature(world, world.objects.land)
  const polygons = features.flatMap(({ geometry }) => (geometry.type === 'MultiPolygon' ? geometry.coordinates : []))
  const coordinates = polygons.map((rings) => rings.map((ring) => closeOverPole(unwrap(ring))))
  return toJson({ type: 'MultiPolygon', coordinates })
}

/** Returns the borders between countries, without the coasts, as a GeoJSON geometry. */
export async function bordersGeoJson(scale: Scale): Promise<string> {
  const world = await readWorld(`countries-${scale}`)
  const { coordinates } = mesh(world, world.objects.countries, (left, right) => left !== right)
  return toJson({ type: 'MultiLineString', coordinates: coordinates.map(unwrap) })
}

/** A line over the antimeridian jumps from 180 to -180 degrees. Continues beyond 180 instead, as maps draw it. */
function unwrap(line: Position[]): Position[] {
  let turns = 0
  return line.map(([longitude = 0, latitude = 0], i) => {
    const step = longitude - (line[i - 1]?.[0] ?? longitude)
    if (Math.abs(step) > 180) turns -= Math.sign(step)
    return [longitude + 360 * turns, latitude]
  })
}

/** A ring around the south pole (Antarctica) does not end where it begins. Closes it along the edge of the map. */
function closeOverPole(ring: Position[]): Position[] {
  const [first = 0] = ring[0] ?? []
  const [last = 0] = ring.at(-1) ?? []
  return first === last ? ring : [...ring, [last, -90], [first, -90], ring[0] ?? []]
}

/** Four decimals of a degree are 11 m, finer than the map is drawn. */
function toJson(geoJson: object): string {
  return JSON.stringify(geoJson, (_key, value) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value))
}
