import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { LARGE, openPage } from '../support/browser.ts'
import { CHECKOUT } from '../support/process.ts'
import { Person } from './person.ts'
import { blocks, commandsOf, find, page, sh } from './shell.ts'

const TYPES: Record<string, string> = { css: 'text/css', mjs: 'text/javascript' }
/** The land of the page comes from another server, which the script does not ask. */
const LAND = "'https://tiles.openfreemap.org/styles/positron'"
const NO_LAND = '{ version: 8, sources: {}, layers: [] }'

/** A front-end developer: the first request in a terminal, a map on a page of another origin, and types for GraphQL. */
export async function frontEnd(browser: Browser, url: string, key: string, env: NodeJS.ProcessEnv, folder: string) {
  const person = new Person('A front-end developer makes a request, a map on an own page, and types')
  const { page: tab } = await openPage(browser, url, LARGE)
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => tab.evaluate<string>('navigator.clipboard.readText()')
  await tab.goto(`${url}/#key=${key}`)
  await person.does('from / to a request in a terminal', async (acts) => {
    await acts.click(tab.locator('.card a').first())
    await acts.click(tab.getByText('For developers'))
    await acts.click(tab.locator('.request').getByRole('button', { name: 'Copy' }))
    const request = await copied()
    const answer = await acts.command(() => sh(folder, env, request))
    find(answer, /"data":\[\{"id"/)
  })

  let html = ''
  const site = createServer(({ url: path = '/' }, response) => {
    const name = basename(new URL(path, 'http://site').pathname)
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type) response.setHeader('content-type', type).end(readFileSync(join(folder, 'site/maplibre-gl', name)))
    else response.setHeader('content-type', 'text/html').end(html)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const guide = page('docs/embed.md')
  await person.does('reads the guide, copies MapLibre to the site, makes a key for it', async (acts) => {
    acts.read(guide.slice(0, guide.indexOf('## A frame')))
    acts.read(find(guide, /^## MapLibre\n(.*?)^```/ms))
    // The package is that of the checkout, in place of `npm install maplibre-gl`.
    await acts.command(() =>
      sh(folder, env, `mkdir -p node_modules && cp -r ${CHECKOUT}node_modules/maplibre-gl node_modules`),
    )
    await acts.command(() => sh(folder, env, 'mkdir -p site && cp -r node_modules/maplibre-gl/dist site/maplibre-gl'))
    const line = find(guide, /^npx catalog keys create .*$/m).replace('https://maps.example', origin)
    html = find(await acts.command(() => sh(CHECKOUT, env, line)), /dck_\S+/)
  })
  await person.does('copies the page from the explorer, puts the key into it, opens it', async (acts) => {
    await acts.click(tab.getByRole('button', { name: 'Embed' }))
    await acts.click(tab.getByRole('button', { name: 'MapLibre' }))
    await acts.click(tab.locator('.request').getByRole('button', { name: 'Copy' }))
    const ownKey = html
    html = (await copied())
      .replace('dck_...', ownKey)
      .replace(LAND, NO_LAND)
      .replace('new Map(', 'globalThis.map = new Map(')
    // Into an editor: the page, and the key.
    acts.paste()
    acts.paste()
    const { page: own } = await openPage(browser, origin, LARGE)
    await acts.wait(() => own.goto(origin))
    await acts.wait(() => hasPlaces(own))
    await own.close()
  })
  site.close()
  await tab.close()

  await person.does('types for GraphQL', async (acts) => {
    const recipes = page('docs/recipes.md')
    const section = find(recipes, /^## Types for a TypeScript client\n(.*?)^## /ms)
    acts.read(section.replace(/^```.*?^```/gms, ''))
    const [install = '', generate = '', output = ''] = commandsOf(
      blocks(section, 'console').find((block) => block.includes('gql.tada')) ?? '',
    ).map((line) => line.replace(/^\$ /, '').replace('http://127.0.0.1:4000', url))
    const plugins = find(section, /```json\n(.*?)```/s)
    const withKey = { ...env, KEY: key }
    await acts.command(() => sh(folder, withKey, install))
    await acts.command(() => sh(folder, withKey, generate))
    acts.paste()
    await sh(folder, env, `cat > tsconfig.json <<'END'\n{ "compilerOptions": { ${plugins} } }\nEND`)
    await acts.command(() => sh(folder, withKey, output))
    acts.paste()
    find(readFileSync(join(folder, 'graphql-env.d.ts'), 'utf8'), /introspection/)
  })
  return person
}

/** Waits until the map of the page has drawn places. */
async function hasPlaces(own: Page): Promise<void> {
  await own.waitForFunction(
    "globalThis.map.loaded?.() && globalThis.map.getLayer('dots') && globalThis.map.queryRenderedFeatures({ layers: ['dots'] }).length > 0",
  )
}
