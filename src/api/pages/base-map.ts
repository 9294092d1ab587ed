import { readFileSync } from 'node:fs'

/*
 * The base map of the explorer that needs no configuration: Natural Earth, and the cities of GeoNames. `prisma/base-map.js` wrote it
 * when the packages were installed.
 */

const read = (name: string) => readFileSync(new URL(`../../generated/${name}`, import.meta.url))

/** Changes with the content of the files. */
export const BASE_MAP_VERSION = read('base-map-version.json').toString()

/** The tiles in base64, by `zoom/x/y`. They are read with the first tile that is asked for: many gateways never show a map. */
let tiles: ReadonlyMap<string, string> | undefined

/**
 * Returns a file by its path below the folder of the assets, undefined if there is none. A tile where there is only water has no
 * bytes.
 */
export function readBaseMap(path: string): Promise<Buffer> | undefined {
  if (path === 'lib/world/land.json') return Promise.resolve(read('land.json'))
  const [, address] = /^lib\/world\/([\d/]+)\.mvt$/.exec(path) ?? []
  if (address === undefined) return undefined
  tiles ??= new Map(Object.entries(JSON.parse(read('base-map.json').toString())))
  const tile = tiles.get(address)
  return tile === undefined ? undefined : Promise.resolve(Buffer.from(tile, 'base64'))
}
