import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BaseMap } from '../../src/config/base-maps.ts'
import { readConfig } from '../../src/config/config.ts'
import { startApp } from '../support/app.ts'
import { hasBrowser, launchBrowser, openPage, WIDE } from '../support/browser.ts'
import { seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { writePmtiles } from '../support/pmtiles.ts'

describe.skipIf(!hasBrowser)('The explorer on a configured base map', () => {
  const db = useDatabase()
  let browser: Browser
  beforeAll(async () => {
    await seedCatalog(db.database.prisma)
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  /** Opens the explorer on a base map, and returns its credit line, status and violations of the policy. */
  const open = async (baseMap: BaseMap) => {
    const t = await startApp({ beside: db, baseMap })
    const { page, foreign, errors } = await openPage(browser, t.url, WIDE)
    const archive = page.waitForResponse(/base-map\.pmtiles/).then(
      (response) => response.status(),
      () => undefined,
    )
    await page.goto(t.url)
    await expect.poll(() => page.locator('#credit').textContent()).toContain('Map:')
    const status = baseMap.kind === 'pmtiles' ? await archive : undefined
    const shown = await page.locator('#map-status').textContent()
    const credit = await page.locator('#credit').textContent()
    await page.close()
    await t.close()
    return { credit, shown, foreign, errors, status }
  }

  test('draws a PMTiles file of the gateway, with its credit line', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'base-map-')), 'city.pmtiles')
    writePmtiles(path, '<a href="https://example.org">Example</a>')
    const { status, ...shown } = await open({ kind: 'pmtiles', path })
    expect(status).toBe(206)
    expect(shown).toEqual({ credit: 'Map: Example', shown: '', foreign: [], errors: [] })
  })

  test('draws a map with a name by day and by night, with its credit, and loads from its server only', async () => {
    const { baseMap } = readConfig({ BASE_MAP: 'openfreemap' })
    const t = await startApp({ beside: db, ...(baseMap && { baseMap }) })
    const { page, foreign, errors } = await openPage(browser, t.url, WIDE)
    const asked: string[] = []
    await page.route('https://tiles.openfreemap.org/**', (route) => {
      asked.push(new URL(route.request().url()).pathname)
      return route.fulfill({ json: { version: 8, sources: {}, layers: [{ id: 'ground', type: 'background' }] } })
    })
    await page.goto(t.url)
    await page.locator('#credit').getByText('Map: OpenFreeMap © OpenMapTiles, data from OpenStreetMap').waitFor()
    expect(asked.sort()).toEqual(['/styles/dark', '/styles/positron'])
    expect(new Set(foreign.map((url) => new URL(url).origin))).toEqual(new Set(['https://tiles.openfreemap.org']))
    expect(errors).toEqual([])
    await page.close()
    await t.close()
  })

  test('never sends the key to the server of the base map, even if its paths are those of our tiles', async () => {
    const asked: (string | undefined)[] = []
    const tiles = createServer(({ method, headers }, response) => {
      asked.push(method, headers.authorization)
      response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization' })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(tiles, 'listening')
    const address = tiles.address()
    if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
    const url = `http://127.0.0.1:${address.port}/tiles/{z}/{x}/{y}.png`
    const t = await startApp({ beside: db, baseMap: { kind: 'raster', url } })
    const { page, errors } = await openPage(browser, t.url, WIDE)
    await page.goto(`${t.url}/#key=${t.key}`)
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => asked.length).toBeGreaterThan(8)
    expect(new Set(asked)).toEqual(new Set(['GET', undefined]))
    expect(errors).toEqual([])
    await page.close()
    await t.close()
    tiles.close()
  })

  test('says that a style is away, and shows its own map', async () => {
    const { credit, shown, errors } = await open({ kind: 'style', url: 'http://127.0.0.1:9/style.json' })
    expect(credit).toContain('Natural Earth')
    expect(shown).toContain("The configured base map can't be loaded")
    expect(errors).toEqual([])
  })
})
