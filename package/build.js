// Bundles src/ into dist/ for `npm pack`: the modules and all packages but PGlite, and the files that they read at run time.
import { cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { rolldown } from 'rolldown'
import { writeThirdParty } from './third-party.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')
const DIST = join(ROOT, 'dist')

/** Files that modules find beside themselves. */
const FILES = [
  'generated/{base-map.json,base-map-version.json,cluster-*.br,land.json}',
  'rows/vendor/*',
  'api/openapi/*.md',
  'sample/**/*.{json,ndjson,svg}',
  'api/pages/html/*',
]
const QUERY_COMPILER = '@prisma/client/runtime/query_compiler_small_bg.postgresql.wasm-base64.mjs'

rmSync(DIST, { recursive: true, force: true })
for (const file of globSync(FILES, { cwd: SRC })) cpSync(join(SRC, file), join(DIST, file))

const { LIBRARY_FILES, libraryVersions } = await import('../src/api/pages/libraries.ts')
const { bundlesVersion, readAllBundled } = await import('../src/api/pages/bundles.ts')
// The modules that read them are in this folder.
for (const [path, read] of LIBRARY_FILES) writeCompressed(`api/pages/${path}`, await read())
const bundled = await readAllBundled()
for (const [path, content] of bundled) writeCompressed(`api/pages/${path}`, content)
// Not compressed, because most commands read it, and it would take a twentieth of their time.
mkdirSync(join(DIST, 'lib'), { recursive: true })
writeFileSync(join(DIST, 'lib/query-compiler.txt'), (await import(QUERY_COMPILER)).wasm)

const bundle = await rolldown({
  input: {
    cli: join(SRC, 'cli.ts'),
    worker: join(SRC, 'embedded/worker.ts'),
    'postgres-worker': join(SRC, 'embedded/postgres-worker.ts'),
  },
  cwd: ROOT,
  platform: 'node',
  external: [/^@electric-sql\//, 'pg-native'],
  transform: { target: 'node22', define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [{ name: 'package', load, transform }],
})
const { output } = await bundle.write({
  dir: DIST,
  format: 'esm',
  minify: true,
  comments: { legal: false },
  hashCharacters: 'hex',
})
const libraries = libraryVersions().map((library) => library.split(' ')[0])
writeThirdParty(
  output.flatMap(({ moduleIds = [] }) => moduleIds),
  [
    ...libraries.filter((name) => existsSync(join(ROOT, 'node_modules', name))),
    'fflate',
    '@electric-sql/pglite',
    '@electric-sql/pglite-postgis',
  ],
)

/** Modules that read a file in place of a package. */
function load(id) {
  if (id.endsWith(QUERY_COMPILER)) {
    return `import { readFileSync } from 'node:fs'
      export const wasm = readFileSync(new URL('lib/query-compiler.txt', import.meta.url), 'latin1')`
  }
  if (id === join(SRC, 'api/pages/bundles.ts')) {
    return `${readers(bundled)}
      export const readBundled = (path) => files.get(path)?.()
      export const bundlesVersion = () => ${JSON.stringify(bundlesVersion())}`
  }
  if (id !== join(SRC, 'api/pages/libraries.ts')) return undefined
  return `${readers(LIBRARY_FILES)}
    export const LIBRARY_FILES = files
    export const libraryVersions = () => ${JSON.stringify(libraryVersions())}`
}

/** The text of a module's constant `files`: functions that read files, by their paths. */
function readers(files) {
  return `import { readFileSync } from 'node:fs'; import { brotliDecompressSync } from 'node:zlib'
    const read = (path) => brotliDecompressSync(readFileSync(new URL(path + '.br', import.meta.url)))
    const files = new Map(${JSON.stringify([...files].map(([path]) => path))}.map((path) => [path, async () => read(path)]))`
}

/** All modules are in one folder. The files that they read keep their places below it. */
function transform(code, id) {
  if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return undefined
  const place = JSON.stringify(relative(SRC, id))
  return code
    .replaceAll(/new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g, "new URL('$1.js', import.meta.here)")
    .replaceAll('import.meta.url', `new URL(${place}, import.meta.here).href`)
    .replaceAll('import.meta.here', 'import.meta.url')
}

function writeCompressed(path, content) {
  const file = join(DIST, `${path}.br`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
}
