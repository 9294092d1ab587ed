import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { axeFindings, hasBrowser, launchBrowser, openPage, WIDE } from '../support/browser.ts'

/*
 * The frame and the page of docs/embed.md on two sites of other origins, in a browser.
 */

const [FRAME = '', PAGE = ''] = [...readFileSync('docs/embed.md', 'utf8').matchAll(/```html\n(.*?)```/gs)].map(
  ([, html = '']) => html,
)
const TYPES: Record<string, string> = { css: 'text/css', mjs: 'text/javascript' }
/** The land of the page is on another server. */
const LAND = "'https://tiles.openfreemap.org/styles/positron'"
const NO_LAND = '{ version: 8, sources: {}, layers: [] }'
/** Gwanghwamun, in the middle of the frame. */
const AT = '&amp;at=37.576027,126.976893,17'

/** A site with the page at `/page/KEY`, and the frame at `/frame/KEY/KEY_ID`, with a Cross-Origin-Embedder-Policy at `/frame/KEY/KEY_ID/POLICY`. */
async function startSite(catalog: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(({ url = '' }, response) => {
    const [, form, key = '', id = '', embedder] = URL.parse(url, 'http://site')?.pathname.split('/') ?? []
    const type = TYPES[key.split('.').at(-1) ?? '']
    if (type) return response.setHeader('content-type', type).end(readFileSync(`node_modules/maplibre-gl/dist/${key}`))
    const page = form === 'frame' ? FRAME.replace('KEY_ID', id).replace('#', `${AT}#`) : PAGE.replace(LAND, NO_LAND)
    const own = page.replaceAll('https://catalog.example', catalog).replace('dck_...', key)
    if (embedder) response.setHeader('cross-origin-embedder-policy', embedder)
    response.setHeader('content-type', 'text/html').end(own.replace('new Map(', 'globalThis.map = new Map('))
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
  let keys: { id: string; key: string }[]
  const sites: Awaited<ReturnType<typeof startSite>>[] = []
  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    browser = await launchBrowser()
    sites.push(await startSite(t.url), await startSite(t.url))
    const { prisma } = t.database
    keys = await Promise.all(sites.map(({ origin }, n) => createKey(prisma, { name: `site ${n}`, origins: [origin] })))
    await t.hearChanges()
  })
  afterAll(async () => {
    await browser.close()
    for (const { server } of sites) server.close()
    await t.close()
  })

  const open = async (site: number, path: string, prepare = async (_page: Page): Promise<unknown> => undefined) => {
    const { origin = '' } = sites[site] ?? {}
    const opened = await openPage(browser, origin, WIDE)
    await prepare(opened.page)
    await opened.page.goto(`${origin}/${path}`)
    return opened
  }

  test('shows the places, their credit and a popup with the key of its origin, and nothing with that of another', async () => {
    for (const [site, { key }] of keys.entries()) {
      const { page, errors } = await open(site, `page/${key}`)
      await expect.poll(() => page.evaluate(findPlace)).toBeDefined()
      const { name = '', x = 0, y = 0 } = (await page.evaluate(findPlace)) ?? {}
      await page.locator('#map').click({ position: { x, y } })
      await page.locator('.maplibregl-popup').getByText(name).waitFor()
      await page.locator('.maplibregl-ctrl-attrib').getByText('Dataset Catalog sample').waitFor({ state: 'attached' })
      expect(errors).toEqual([])
      await page.close()
    }
    const { page, errors } = await open(0, `page/${keys[1]?.key}`)
    await expect.poll(() => errors).toEqual([expect.stringContaining('Failed to fetch')])
    expect(await page.locator('canvas').count()).toBe(0)
  })

  test('shows a frame with the places and a card, for the origin of its key', async () => {
    const { id, key } = keys[0] ?? {}
    const { promise: isHome, resolve: goHome } = Promise.withResolvers<void>()
    const { page, errors } = await open(0, `frame/${key}/${id}`, (opened) =>
      opened.route('**/graphql', (route) => isHome.then(() => route.continue())),
    )
    const frame = page.frameLocator('iframe')
    // The button does not end the first load.
    await frame.getByRole('button', { name: 'Show all places' }).press('Enter')
    goHome()
    await frame.getByText('Legend').waitFor()
    await frame.locator('canvas').focus()
    await frame.getByText('Gwanghwamun. Enter opens it.').waitFor()
    await page.keyboard.press('Enter')
    await frame.getByRole('heading', { name: 'Gwanghwamun' }).waitFor()
    await frame.getByAltText('Gwanghwamun, the main gate').waitFor()
    await frame.getByText('Dataset Catalog sample').waitFor()
    const [, embedded] = page.frames()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(embedded && (await axeFindings(embedded))).toEqual([])
    }
    await page.keyboard.press('Escape')
    await expect.poll(() => frame.locator('canvas').evaluate((canvas) => canvas.matches(':focus'))).toBe(true)
    expect([await frame.getByRole('heading').count(), errors]).toEqual([0, []])
    await page.close()
  })

  test.each(['require-corp', 'credentialless'])(
    'shows a frame in a page with the embedder policy %s',
    async (policy) => {
      const { id, key } = keys[0] ?? {}
      const { page, errors } = await open(0, `frame/${key}/${id}/${policy}`)
      const frame = page.frameLocator('iframe')
      await frame.getByText('Legend').waitFor()
      await frame.locator('canvas').focus()
      await frame.getByText('Gwanghwamun. Enter opens it.').waitFor()
      await page.keyboard.press('Enter')
      const picture = frame.getByAltText('Gwanghwamun, the main gate')
      await picture.waitFor()
      expect(errors).toEqual([])
      await page.close()
    },
  )

  test('shows no frame of the key of another origin, and says what is wrong with a key', async () => {
    const [own, other] = keys
    const refused = await open(1, `frame/${own?.key}/${own?.id}`)
    await expect.poll(() => refused.errors).toEqual([expect.stringContaining(`frame-ancestors ${sites[0]?.origin}`)])
    expect(await refused.page.frameLocator('iframe').locator('main').count()).toBe(0)
    await refused.page.close()
    const wrong = await open(0, `frame/${other?.key}/${own?.id}`)
    await wrong.page.frameLocator('iframe').getByText('The key of this map does not work.').waitFor()
    const tab = await wrong.page.goto(`${t.url}/embed/${own?.id}`)
    expect(tab?.status()).toBe(404)
    await wrong.page.close()
  })
})
