import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { LARGE, openPage } from '../support/browser.ts'
import { CHECKOUT } from '../support/process.ts'
import { type Acts, Person } from './person.ts'
import { blocks, commandsOf, find, page, sh } from './shell.ts'

const TYPES: Record<string, string> = { css: 'text/css', mjs: 'text/javascript' }
/** The land of the page comes from another server, which the script does not ask. */
const LAND = "'https://tiles.openfreemap.org/styles/positron'"
const NO_LAND = '{ version: 8, sources: {}, layers: [] }'

/** A front-end developer: a request in a terminal, a map on a page of another origin in two ways, and types for GraphQL. */
export async function frontEnd(browser: Browser, url: string, key: string, env: NodeJS.ProcessEnv, folder: string) {
  const person = new Person('A front-end developer makes a request, a map on an own page, and types')
  const { page: tab } = await openPage(browser, url, LARGE)
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copy = async (acts: Acts) => {
    await acts.click(tab.locator('.request').getByRole('button', { name: 'Copy' }))
    return tab.evaluate<string>('navigator.clipboard.readText()')
  }
  await tab.goto(`${url}/#key=${key}`)
  await person.does('from / to a request in a terminal', async (acts) => {
    await acts.click(tab.locator('.card a').first())
    await acts.click(tab.getByText('For developers'))
    const request = await copy(acts)
    find(await acts.command(() => sh(folder, env, request)), /"data":\[\{"id"/)
  })

  const site = await startSite(folder)
  const guide = page('docs/embed.md')
  const open = async (acts: Acts, html: string, isComplete: (own: Page) => Promise<unknown>) => {
    // Into an editor: the page, and what it has in place of the key.
    acts.paste()
    acts.paste()
    site.html = html
    const { page: own } = await openPage(browser, site.origin, LARGE)
    await acts.wait(() => own.goto(site.origin))
    await acts.wait(() => isComplete(own))
    await own.close()
  }
  const [id, ownKey] = await person.does('reads the guide, makes a key for the own page', async (acts) => {
    acts.read(guide.slice(0, guide.indexOf('## MapLibre')))
    const line = find(guide, /^npx dataset-catalog keys create .*$/m).replace('https://maps.example', site.origin)
    const printed = await acts.command(() => sh(CHECKOUT, env, line))
    return [find(printed, /^Key (\S+)/m), find(printed, /dck_\S+/)] as const
  })
  await person.does('a frame: copies it from the explorer to the own page', async (acts) => {
    await acts.click(tab.getByRole('button', { name: 'Embed' }))
    const frame = (await copy(acts)).replace('KEY_ID', id).replace('dck_...', ownKey)
    acts.paste()
    await open(acts, frame, (own) =>
      own.frameLocator('iframe').locator('.map:not([data-loading], [data-loading-places]) canvas').waitFor(),
    )
  })
  await person.does('MapLibre: copies it to the site, and the page from the explorer', async (acts) => {
    acts.read(find(guide, /^## MapLibre\n(.*?)^```/ms))
    // The package is that of the checkout, in place of `npm install maplibre-gl`.
    const install = `mkdir -p node_modules && cp -r ${CHECKOUT}node_modules/maplibre-gl node_modules`
    await acts.command(() => sh(folder, env, install))
    await acts.command(() => sh(folder, env, 'mkdir -p site && cp -r node_modules/maplibre-gl/dist site/maplibre-gl'))
    await acts.click(tab.getByRole('button', { name: 'MapLibre' }))
    const copied = (await copy(acts)).replace('dck_...', ownKey).replace(LAND, NO_LAND)
    await open(acts, copied.replace('new Map(', 'globalThis.map = new Map('), hasPlaces)
  })
  site.close()
  await tab.close()
  await person.does('types for GraphQL', (acts) => makeTypes(acts, url, { ...env, KEY: key }, folder))
  return person
}

/** The developer's own site: one page, and the folder of MapLibre. */
async function startSite(folder: string) {
  const site = { html: '', origin: '', close: () => void server.close() }
  const server = createServer(({ url = '/' }, response) => {
    const name = basename(new URL(url, 'http://site').pathname)
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type) response.setHeader('content-type', type).end(readFileSync(join(folder, 'site/maplibre-gl', name)))
    else response.setHeader('content-type', 'text/html').end(site.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return site
}

/** Waits until the map of the page has drawn places. */
async function hasPlaces(own: Page): Promise<void> {
  await own.waitForFunction(
    "globalThis.map.loaded?.() && globalThis.map.getLayer('dots') && globalThis.map.queryRenderedFeatures({ layers: ['dots'] }).length > 0",
  )
}

async function makeTypes(acts: Acts, url: string, env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  const section = find(page('docs/recipes.md'), /^## Types for a TypeScript client\n(.*?)^## /ms)
  acts.read(section.replace(/^```.*?^```/gms, ''))
  const console = blocks(section, 'console').find((block) => block.includes('gql.tada')) ?? ''
  const [install = '', generate = '', output = ''] = commandsOf(console).map((line) =>
    line.replace(/^\$ /, '').replace('http://127.0.0.1:4000', url),
  )
  await acts.command(() => sh(folder, env, install))
  await acts.command(() => sh(folder, env, generate))
  acts.paste()
  const plugins = find(section, /```json\n(.*?)```/s)
  await sh(folder, env, `cat > tsconfig.json <<'END'\n{ "compilerOptions": { ${plugins} } }\nEND`)
  await acts.command(() => sh(folder, env, output))
  // The lines with the types of the scalars.
  acts.paste()
  find(readFileSync(join(folder, 'graphql-env.d.ts'), 'utf8'), /introspection/)
}
