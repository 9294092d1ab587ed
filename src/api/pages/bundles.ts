import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CatalogError } from '../../errors/errors.ts'

/*
 * The scripts and styles of the pages. Each page has one script, because a browser on a slow network waits for each level of imports, and
 * one style sheet. A page's script imports others later, such as the map. They are bundled when a browser first asks for them; a package
 * has them ready (package/build.js).
 */

const FOLDER = fileURLToPath(new URL('../../explorer/', import.meta.url))
/** What each page consists of. */
const PAGES = {
  explorer: {
    script: 'page/main.tsx',
    styles: [
      ...['shared/page.css', 'shared/combobox.css', 'page/explorer.css', 'map/map.css', 'page/views.css'],
      ...['compare/compare.css', 'item/item.css', 'search/search.css', 'table/table.css'].map(
        (file) => `views/${file}`,
      ),
    ],
  },
  embed: {
    script: 'embed/main.tsx',
    styles: ['shared/page.css', 'page/explorer.css', 'map/map.css', 'views/item/item.css', 'embed/embed.css'],
  },
  graphiql: { script: 'graphiql/start.ts', styles: ['shared/page.css', 'graphiql/graphiql.css'] },
  ogc: { script: 'ogc/start.tsx', styles: ['shared/page.css', 'ogc/ogc.css'] },
  reference: { script: 'reference/start.tsx', styles: ['shared/page.css', 'reference/reference.css'] },
} as const
type PageName = keyof typeof PAGES

/** Returns a hash of all that the bundles are made from: the sources, the packages and this file. */
export function bundlesVersion(): string {
  const sources = globSync('**/*.{ts,tsx,css,json}', { cwd: FOLDER, exclude: ['**/*.d.ts'] }).sort()
  const others = ['../../package-lock.json', '../api/pages/bundles.ts']
  return hash('sha256', JSON.stringify([...sources, ...others].map((path) => [path, readSource(path)])), 'hex')
}

const bundles = new Map<PageName, Promise<ReadonlyMap<string, string>>>()

/** Returns a file of a bundle by its path, such as `explorer/main.js`; undefined if no page has this path. */
export function readBundled(path: string): Promise<string> | undefined {
  const name = pageNames().find((page) => path.startsWith(`${page}/`))
  if (name === undefined) return undefined
  const known = bundles.get(name)
  const bundled = known ?? bundlePage(name)
  bundles.set(name, bundled)
  // What could not be bundled now may be later.
  if (!known) bundled.catch(() => bundles.delete(name))
  return bundled.then((files) => {
    const file = files.get(path)
    if (file === undefined) throw new CatalogError('NOT_FOUND', 'There is no such path')
    return file
  })
}

/** Returns the files of all bundles, by their paths. */
export async function readAllBundled(): Promise<[string, string][]> {
  const all = await Promise.all(pageNames().map(bundlePage))
  return all.flatMap((files) => [...files])
}

const pageNames = () => Object.keys(PAGES).filter((name): name is PageName => name in PAGES)
const readSource = (path: string) => readFileSync(join(FOLDER, path), 'utf8')

async function bundlePage(name: PageName): Promise<ReadonlyMap<string, string>> {
  const { rolldown } = await import('rolldown')
  const { script, styles } = PAGES[name]
  await using bundle = await rolldown({
    input: { main: join(FOLDER, script) },
    platform: 'browser',
    // It finds its worker beside itself.
    external: ['maplibre-gl'],
  })
  const { output } = await bundle.generate({
    minify: true,
    sourcemap: true,
    chunkFileNames: '[name].js',
    paths: { 'maplibre-gl': '../lib/maplibre-gl/maplibre-gl.mjs' },
  })
  const scripts = output.map(
    (file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)] as const,
  )
  const files = [...scripts, ['main.css', styles.map(readSource).join('\n')] as const]
  return new Map(files.map(([file, content]) => [`${name}/${file}`, content]))
}
