import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { BASE_MAP_VERSION } from './base-map.ts'

/*
 * The files of npm packages that the pages load beside their bundles, and their paths below the folder of the assets.
 */

const { resolve } = createRequire(import.meta.url)
/** Packages of one module, which don't export their package.json. */
const ONE_MODULE = ['@mapbox/point-geometry', '@mapbox/vector-tile', 'pbf']
const PACKAGES = [
  ...[
    '@github/combobox-nav',
    '@graphql-yoga/render-graphiql',
    '@protomaps/basemaps',
    'maplibre-gl',
    'pmtiles',
    'preact',
  ],
  ...ONE_MODULE,
]
const folderOf = (name: string) => dirname(resolve(ONE_MODULE.includes(name) ? name : `${name}/package.json`))

/** Returns the names and versions of the packages; with them the addresses of the assets change. */
export function libraryVersions(): string[] {
  const versions = PACKAGES.map((name) => {
    const { version }: { version: string } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))
    return `${name} ${version}`
  })
  return [...versions, SCALAR, BASE_MAP_VERSION]
}

type Read = () => Promise<string | Buffer>

/** Reads each file of a package that is served. */
const filesOf = (name: string, folder: string, from: string, files: readonly string[]): [string, Read][] =>
  files.map((file) => [`${folder}/${file}`, () => readFile(join(folderOf(name), from, file))])

/** Yoga's package carries GraphiQL's files as strings in one module of 9 MB. */
const graphiql = () => import('@graphql-yoga/render-graphiql/graphiql')

/** Scalar is one file in our own tree, see vendor/NOTICE.md. */
const SCALAR = 'scalar-1.72.1.js.br'
const readScalar = async () => promisify(brotliDecompress)(await readFile(new URL(`vendor/${SCALAR}`, import.meta.url)))

/** The files, by their path below the folder of the assets. */
export const LIBRARY_FILES: ReadonlyMap<string, Read> = new Map([
  ['lib/graphiql/graphiql.js', async () => (await graphiql()).js],
  ['lib/graphiql/graphiql.css', async () => (await graphiql()).css],
  ['lib/graphiql/editor.worker.js', async () => (await graphiql()).editorWorkerService],
  ['lib/graphiql/json.worker.js', async () => (await graphiql()).jsonWorker],
  ['lib/graphiql/graphql.worker.js', async () => (await graphiql()).graphqlWorker],
  ...filesOf('maplibre-gl', 'lib/maplibre-gl', 'dist', [
    'maplibre-gl.mjs',
    'maplibre-gl-shared.mjs',
    'maplibre-gl-worker.mjs',
    'maplibre-gl.css',
  ]),
  ['lib/scalar/scalar.js', readScalar],
])
