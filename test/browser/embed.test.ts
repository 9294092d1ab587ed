import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { hasBrowser, launchBrowser, openPage, WIDE } from '../support/browser.ts'

/*
 * The page of docs/embed.md on two sites of other origins, in a browser.
 */

const [, PAGE = ''] = /```html\n(.*?)```/s.exec(readFileSync('docs/embed.md', 'utf8')) ?? []
const TYPES: Record<string, string> = { css: 'text/css', mjs: 'text/javascript' }
/** The land of the page is on another server. */
const LAND = "'https://tiles.openfreemap.org/styles/positron'"
const NO_LAND = '{ version: 8, sources: {}, layers: [] }'

/** A site with the page. The name of its path is the key. */
async function startSite(catalog: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(({ url = '' }, response) => {
    const name = basename(URL.parse(url, 'http://site')?.pathname ?? '')
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type) return response.setHeader('content-type', type).end(readFileSync(`node_modules/maplibre-gl/dist/${name}`))
    const page = PAGE.replaceAll('https://catalog.example', catalog).replace('dck_...', name).replace(LAND, NO_LAND)
    response.setHeader('content-type', 'text/html').end(page.replace('new Map(', 'globalThis.map = new Map('))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return { server, origin: `http://127.0.0.1:${address.port}` }
}

interface Place {
  properties: { name: string }
  geometry: { coordinates: [number, number] }
}

interface PageMap {
  loaded: () => boolean
  querySourceFeatures: (source: string, options: object) => Place[]
  queryRenderedFeatures: (at: { x: number; y: number }) => Place[]
  project: (at: [number, number]) => { x: number; y: number }
}

/**
 * Runs in the page. Returns the name of a place that is drawn on the map with no other above it, and where it is in pixels; undefined while
 * the map is not complete.
 */
function findPlace(): { name: string; x: number; y: number } | undefined {
  // Before there is a map, the name is that of its element.
  const { map } = globalThis as unknown as { map: Partial<PageMap> }
  if (!map.loaded?.()) return undefined
  for (const { properties, geometry } of map.querySourceFeatures?.('places', { sourceLayer: 'items' }) ?? []) {
    const at = map.project?.(geometry.coordinates)
    const [top] = (at && map.queryRenderedFeatures?.(at)) ?? []
    if (at && properties.name && top?.properties.name === properties.name) return { name: properties.name, ...at }
  }
  return undefined
}

describe.skipIf(!hasBrowser)('A map on the page of a partner', () => {
  let t: TestApp
  let browser: Browser
  const sites: Awaited<ReturnType<typeof startSite>>[] = []
  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    browser = await launchBrowser()
    sites.push(await startSite(t.url), await startSite(t.url))
  })
  afterAll(async () => {
    await browser.close()
    for (const { server } of sites) server.close()
    await t.close()
  })

  const open = async (site: number, key: string) => {
    const { origin = '' } = sites[site] ?? {}
    const opened = await openPage(browser, origin, WIDE)
    await opened.page.goto(`${origin}/${key}`)
    return opened
  }

  test('shows the places, their credit and a popup with the key of its origin, and nothing with that of another', async () => {
    const { prisma } = t.database
    const keys = await Promise.all(
      sites.map(({ origin }, n) => createKey(prisma, { name: `site ${n}`, origins: [origin] })),
    )
    for (const [site, { key }] of keys.entries()) {
      const { page, errors } = await open(site, key)
      await expect.poll(() => page.evaluate(findPlace)).toBeDefined()
      const { name = '', x = 0, y = 0 } = (await page.evaluate(findPlace)) ?? {}
      await page.locator('#map').click({ position: { x, y } })
      await page.locator('.maplibregl-popup').getByText(name).waitFor()
      await page.locator('.maplibregl-ctrl-attrib').getByText('Dataset Catalog sample').waitFor({ state: 'attached' })
      expect(errors).toEqual([])
      await page.close()
    }
    const { page, errors } = await open(0, keys[1]?.key ?? '')
    await expect.poll(() => errors).toEqual([expect.stringContaining('Failed to fetch')])
    expect(await page.locator('canvas').count()).toBe(0)
  })
})
