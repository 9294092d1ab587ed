import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

/*
 * The base map: land and borders of Natural Earth (public domain), from the package world-atlas, as GeoJSON.
 */

type World = Topology<{ countries: GeometryCollection; land: GeometryCollection }>

async function readWorld(name: string): Promise<World> {
  return JSON.parse(await readFile(createRequire(import.meta.url).resolve(`world-atlas/${name}.json`), 'utf8'))
}

/** Returns the land as a GeoJSON FeatureCollection. `scale` is the scale of Natural Earth: `110m`, `50m` or `10m`. */
export async function landGeoJson(scale: '110m' | '50m' | '10m'): Promise<string> {
  const world = await readWorld(`countries-${scale}`)
  return toJson(feature(world, world.objects.land))
}

/** Returns the borders between countries, without the coasts, as a GeoJSON geometry. */
export async function bordersGeoJson(scale: '110m' | '50m' | '10m'): Promise<string> {
  const world = await readWorld(`countries-${scale}`)
  return toJson(mesh(world, world.objects.countries, (left, right) => left !== right))
}

/** Four decimals of a degree are 11 m, finer than the map is drawn. */
function toJson(geoJson: object): string {
  return JSON.stringify(geoJson, (_key, value) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value))
}
