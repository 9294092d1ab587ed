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

/** A site with the page. The name of its path is the key. */
async function startSite(catalog: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(({ url = '' }, response) => {
    const name = basename(URL.parse(url, 'http://site')?.pathname ?? '')
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type) return response.setHeader('content-type', type).end(readFileSync(`node_modules/maplibre-gl/dist/${name}`))
    const page = PAGE.replaceAll('https://catalog.example', catalog).replace('dck_...', name)
    response.setHeader('content-type', 'text/html').end(page.replace('new Map(', 'globalThis.map = new Map('))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return { server, origin: `http://127.0.0.1:${address.port}` }
}

/** Runs in the page. */
function countFeatures(): number {
  const { map } = globalThis as unknown as {
    map: { querySourceFeatures: (source: string, options: object) => unknown[] }
  }
  return map.querySourceFeatures('places', { sourceLayer: 'items' }).length
}

describe.skipIf(!hasBrowser)('A map on the page of a partner', () => {
  let t: TestApp
  let browser: Browser
  const sites: Awaited<ReturnType<typeof startSite>>[] = []
  beforeAll(async () => {
    t = await startApp()
    browser = await launchBrowser()
    sites.push(await startSite(t.url), await startSite(t.url))
  })
  afterAll(async () => {
    await browser.close()
    for (const { server } of sites) server.close()
    await t.close()
  })

  /** Opens the page. Returns the statuses of the tiles, and the number of features on the map; none if the tiles are refused. */
  async function show(site: number, key: string) {
    const { origin = '' } = sites[site] ?? {}
    const { page, errors } = await openPage(browser, origin, WIDE)
    const statuses = new Set<number | 'refused'>()
    page.on('response', async (response) => {
      const isTile = response.url().startsWith(`${t.url}/tiles/`) && response.request().method() === 'GET'
      if (isTile) statuses.add(response.status())
    })
    // The browser gives a page no response that CORS does not allow.
    page.on('requestfailed', (request) => request.url().startsWith(`${t.url}/tiles/`) && statuses.add('refused'))
    await page.goto(`${origin}/${key}`)
    await expect.poll(() => statuses.size).toBeGreaterThan(0)
    const hasFeatures = () => page.evaluate(countFeatures).then((count) => count > 0)
    if (statuses.has(200)) await expect.poll(hasFeatures).toBe(true)
    const shown = { statuses: [...statuses], hasFeatures: await hasFeatures(), errors }
    await page.close()
    return shown
  }

  test('shows the places with the key of its origin, and is refused with that of another', async () => {
    const { prisma } = t.database
    const [first, second] = await Promise.all(
      sites.map(({ origin }, n) => createKey(prisma, { name: `site ${n}`, origins: [origin] })),
    )
    const shown = { statuses: [200], hasFeatures: true, errors: [] }
    expect(await show(0, first?.key ?? '')).toEqual(shown)
    expect(await show(1, second?.key ?? '')).toEqual(shown)
    const refused = { statuses: ['refused'], hasFeatures: false, errors: [] }
    expect(await show(0, second?.key ?? '')).toEqual(refused)
    expect(await show(1, first?.key ?? '')).toEqual(refused)
  })
})
