import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/*
 * The base map of the explorer: land and borders of Natural Earth. `prisma/base-map.js` wrote it when the packages were installed.
 */

const readGenerated = (name: string) => readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8')

const land = readGenerated('land.json')
const tilesText = readGenerated('base-map.json')
const tiles: Readonly<Record<string, string>> = JSON.parse(tilesText)

/** Changes with the content of the files. */
export const BASE_MAP_VERSION = hash('sha256', land + tilesText, 'hex')

/** The files, by their path below the folder of the assets. A tile where there is only water has no bytes. */
export const BASE_MAP_FILES: readonly [path: string, read: () => Promise<string | Buffer>][] = [
  ['lib/world/land.json', async () => land],
  ...Object.entries(tiles).map(([address, base64]): [string, () => Promise<Buffer>] => [
    `lib/world/${address}.mvt`,
    async () => Buffer.from(base64, 'base64'),
  ]),
]
