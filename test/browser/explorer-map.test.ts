import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import type { BaseMap } from '../../src/config/base-maps.ts'
import { readConfig } from '../../src/config/config.ts'
import { parseCoordinate } from '../../src/explorer/views/point-field.ts'
import { startApp, type TestApp } from '../support/app.ts'
import {
  giveKey,
  hasBrowser,
  launchBrowser,
  openBrowser,
  openControl,
  openPage,
  type Visit,
  WIDE,
} from '../support/browser.ts'
import { seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { createImporter, ndjson, row } from '../support/import.ts'
import { writePmtiles } from '../support/pmtiles.ts'

describe.skipIf(!hasBrowser)('The map of the explorer', () => {
  let t: TestApp
  let visit: Visit
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, WIDE)
    page = visit.page
    await page.goto(t.url)
    await giveKey(page, t.key)
    await page.getByText('2 datasets, 44 places').waitFor()
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })
  const canvas = () => page.locator('.maplibregl-canvas')
  const said = (text: string | RegExp) => page.locator('#map-status').filter({ hasText: text }).waitFor()
  const entries = () => page.locator('#legend-entries li').allTextContents()
  /** Moves the focus to the map as a person does: with Tab, from what is before it. */
  const tabToMap = async () => {
    await page.locator('.request summary').last().focus()
    while (!(await canvas().evaluate((element) => element === document.activeElement))) await page.keyboard.press('Tab')
  }

  test('by keyboard, Enter zooms into the cluster under the cross, and opens the place there', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.5596,127.0009,2`)
    await heading('Seoul Landmarks').waitFor()
    await tabToMap()
    await said('27 places. Enter zooms in.')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toMatch(/,4$/)
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.5511694,126.9882266,17`)
    await heading('Seoul Landmarks').waitFor()
    await tabToMap()
    await said('N Seoul Tower. Enter opens it.')
    await page.keyboard.press('Enter')
    await heading('N Seoul Tower').waitFor()
  })

  test('places at one point are one point with their number, and a click lists them', async () => {
    const at = { latitude: '10', longitude: '20' }
    const items = ['One', 'Two', 'Three'].map((name) => row({ ...at, externalId: name, name }))
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(...items) }, { dataset: { slug: 'tower', name: 'Tower' } })
    await importer.close()
    await page.goto(`${t.url}/?dataset=tower&at=10,20,14`)
    await heading('Tower').waitFor()
    await tabToMap()
    await said('3 places. Enter lists them.')
    await page.keyboard.press('Enter')
    await page.getByText(/^3 places within \d m, nearest first$/).waitFor()
    expect(await page.locator('.places a').allTextContents()).toHaveLength(3)
    await t.database.prisma.dataset.delete({ where: { slug: 'tower' } })
  })

  test('the map shows one world, and moves over the antimeridian', async () => {
    await page.goto(`${t.url}/?at=0,0,-2`)
    await heading('Datasets').waitFor()
    await page.getByRole('button', { name: 'Show all places of this view' }).click()
    const worldPixels = () => 512 * 2 ** Number(new URL(page.url()).searchParams.get('at')?.split(',')[2])
    const { width = 0 } = (await canvas().boundingBox()) ?? {}
    await expect.poll(worldPixels).toBeGreaterThan(width - 2)
    await page.goto(`${t.url}/?at=-17,179.9,8`)
    await heading('Datasets').waitFor()
    await tabToMap()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.url()).toMatch(/at=-17[.\d]*,-17\d/)
  })

  test('by keyboard, the arrow keys and Enter choose a point on the map for a nearby search', async () => {
    await page.goto(`${t.url}/?at=25.5,-40.5,5`)
    await openControl(page, 'Nearby')
    await page.getByRole('button', { name: 'a point on the map' }).press('Enter')
    await said('the arrow keys move the map and Enter takes its centre')
    await tabToMap()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.url()).not.toContain('-40.5,')
    const [, latitude, longitude] = /at=([\d.-]+),([\d.-]+)/.exec(page.url()) ?? []
    await page.keyboard.press('Enter')
    await heading('All datasets').waitFor()
    const near = new URL(page.url()).searchParams.get('near')?.split(',').map(Number)
    expect(near?.[0]).toBeCloseTo(Number(latitude), 3)
    expect(near?.[1]).toBeCloseTo(Number(longitude), 3)
  })

  test.each([
    ['37.5796, 126.977', /near=37\.5796,126\.977,1000/, ''],
    ['gyeongbokgung', /near=37\.5[\d.]*,126\.9[\d.]*,1000/, 'Around Gyeongbokgung Palace'],
    ['gyeonbok', /near=37\.5[\d.]*,126\.9[\d.]*,1000/, 'Around Gyeongbokgung Palace'],
  ])('a point for a nearby search can be typed: %s', async (text, address, shown) => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill(text)
    await page.keyboard.press('Enter')
    await page.getByText('within 1 km, nearest first').waitFor()
    expect(page.url()).toMatch(address)
    expect(await page.locator('#map-status').textContent()).toBe(shown)
  })

  test('a nearby search keeps the filters, also with another radius', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill('37.5796, 126.977')
    await page.keyboard.press('Enter')
    await page.getByText('1 place with these filters within 1 km, nearest first').waitFor()
    await page.getByLabel('Within').fill('3000')
    await page.keyboard.press('Tab')
    await page.getByText('places with these filters within 3 km, nearest first').waitFor()
    expect(page.url()).toContain('category=palace&near=37.5796,126.977,3000')
  })

  test('a typed point that is neither a coordinate nor a place is reported', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill('91, 0')
    await page.getByRole('button', { name: 'Search there' }).click()
    await page.getByText('No place has a name like “91, 0”.').waitFor()
  })

  test('the legend names the most frequent categories with their totals, and each is a filter', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await expect.poll(entries).toHaveLength(7)
    const totals = (await entries()).map((text) => Number(/\d+$/.exec(text)?.[0]))
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(27)
    await page.locator('#legend').getByRole('link', { name: 'palace' }).press('Enter')
    await page.getByText('4 places with these filters').waitFor()
    // The link that had the focus is gone.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.goto(t.url)
    await expect.poll(entries).toEqual(['Seoul Landmarks27', 'World Airports17'])
  })

  test('the legend has no totals where the view has only some of the places, and its names filter these', async () => {
    const legend = page.locator('#legend')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&text=palace`)
    await expect.poll(entries).toContain('palace')
    expect((await entries()).filter((text) => /\d$/.test(text))).toEqual([])
    await page.goto(`${t.url}/?text=palace`)
    await expect.poll(entries).toEqual(['Seoul Landmarks', 'World Airports'])
    await legend.getByRole('link', { name: 'Seoul Landmarks' }).click()
    await expect.poll(() => page.url()).toMatch(/dataset=seoul-landmarks&text=palace/)
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table&page=2`)
    await legend.getByRole('link', { name: 'palace' }).click()
    await page.locator('.table-frame').getByRole('link', { name: 'Gyeongbokgung Palace' }).waitFor()
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=about`)
    await legend.getByRole('link', { name: 'palace' }).click()
    await page.getByText('4 places with these filters').waitFor()
  })

  test('a filter is a list that typing narrows, by keyboard too, and nothing else', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Filters')
    const category = page.getByRole('combobox', { name: 'Category', exact: true })
    await category.focus()
    await page.keyboard.type('PAL')
    const options = page.getByRole('listbox').getByRole('option')
    await expect.poll(() => options.allTextContents()).toEqual(['palace4'])
    await page.keyboard.press('ArrowDown')
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    expect(await category.getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.getByText('4 places with these filters').waitFor()
    const described = `#${await page.locator('h1:focus').getAttribute('aria-describedby')}`
    expect(await page.locator(described).textContent()).toBe('4 places with these filters')
    await category.fill('no such code')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await category.inputValue()).toBe('palace')
    // Typed text chooses the first option, and Enter takes it.
    await category.fill('mus')
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('category=museum')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('27 places, by name').waitFor()
  })

  test('the way back from a place goes back to the list and the map as they were', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.55,127,13`)
    await page.locator('.places').getByRole('link', { name: 'N Seoul Tower' }).click()
    await heading('N Seoul Tower').waitFor()
    expect(await page.title()).toBe('N Seoul Tower · Seoul Landmarks')
    const entries = await page.evaluate('history.length')
    await page.locator('.back a').click()
    await heading('Seoul Landmarks').waitFor()
    await expect.poll(() => page.url()).toContain('at=37.55,127,13')
    expect(await page.evaluate('history.length')).toBe(entries)
    expect(await page.title()).toBe('Seoul Landmarks · Dataset Catalog')
  })

  test('with filters, a download has only the places that they select', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await openControl(page, 'Download')
    await page.locator('.controls').getByText('Download all places with these filters').waitFor()
    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'GeoJSON', exact: true }).click()
    const { features } = JSON.parse(readFileSync(await (await started).path(), 'utf8'))
    const codes = features.map((feature: { properties: { categoryCode: string } }) => feature.properties.categoryCode)
    expect(codes).toEqual(Array(4).fill('palace'))
  })

  test('the page of a dataset has its facts, its codes with totals, some places, and the same for machines', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.getByRole('link', { name: 'About', exact: true }).click()
    await page.getByRole('heading', { name: 'Some of its places' }).waitFor()
    expect(await page.title()).toBe('About · Seoul Landmarks')
    await page.locator('.bars li', { hasText: 'palace' }).getByText('4', { exact: true }).waitFor()
    const { body } = await t.graphql('{ dataset(id: "seoul-landmarks") { exportSizes { format bytes } } }')
    await page.getByText('For developers').click()
    for (const { bytes } of body.data.dataset.exportSizes)
      await page.getByRole('button', { name: `(${Number((bytes / 1000).toPrecision(2))} kB)` }).waitFor()
    const text = await page.locator('script[type="application/ld+json"]').textContent()
    const data = JSON.parse(text ?? '')
    expect(data).toMatchObject({ '@type': 'Dataset', name: 'Seoul Landmarks', isAccessibleForFree: true })
    const headers = { authorization: `Bearer ${t.key}` }
    expect(data.distribution).toHaveLength(EXPORT_FORMATS.length)
    for (const { contentUrl, encodingFormat } of data.distribution) {
      const download = await fetch(contentUrl, { headers })
      expect(download.headers.get('content-type')).toContain(encodingFormat)
    }
    await page.goto(`${t.url}/?dataset=world-airports&view=about`)
    await heading('World Airports').waitFor()
    const facts = await page.locator('script[type="application/ld+json"]').textContent()
    expect(JSON.parse(facts ?? '')).toMatchObject({
      license: 'https://spdx.org/licenses/Unlicense',
      usageInfo: 'https://ourairports.com/about.html',
      publisher: { name: 'OurAirports', contactPoint: { url: 'https://ourairports.com/about.html' } },
      isBasedOn: { url: 'https://ourairports.com/data/', dateModified: '2026-04-29' },
    })
    const licence = page.locator('.members').getByRole('link', { name: 'Unlicense' })
    expect(await licence.getAttribute('href')).toBe('https://spdx.org/licenses/Unlicense')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=about`)
    await page.locator('.bars').getByRole('link', { name: 'palace' }).click()
    await page.getByText('4 places with these filters').waitFor()
  })

  test('a link to the page of a dataset may name it by its UUID, in capitals too', async () => {
    const { body } = await t.graphql('{ dataset(id: "seoul-landmarks") { id } }')
    await page.goto(`${t.url}/?dataset=${body.data.dataset.id.toUpperCase()}&view=about`)
    await heading('Seoul Landmarks').waitFor()
  })

  test('a button shows the whole view again', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=10,10,9`)
    await heading('Seoul Landmarks').waitFor()
    await page.getByRole('button', { name: 'Show all places of this view' }).click()
    await expect.poll(() => page.url()).toMatch(/at=37\.\d+,12[67]\.\d+,1\d/)
  })

  test('the map fills the screen and comes back, with its credit line', async () => {
    await page.getByRole('button', { name: 'Enter fullscreen' }).click()
    await expect.poll(() => page.evaluate('document.fullscreenElement?.contains(credit)')).toBe(true)
    await page.getByRole('button', { name: 'Exit fullscreen' }).click()
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull()
  })

  test('without WebGL the explorer says so, and shows everything but the map', async () => {
    const { page, errors } = await openPage(visit.browser, t.url, WIDE, { map: false })
    await page.goto(`${t.url}/#key=${t.key}`)
    await page.getByText('This browser can’t draw the map').waitFor()
    await page.locator('.card').getByRole('link', { name: 'Seoul Landmarks' }).click()
    await page.locator('.places').getByRole('link', { name: 'N Seoul Tower' }).click()
    await page.getByRole('heading', { name: 'N Seoul Tower', level: 1 }).waitFor()
    expect(errors).toEqual([])
    await page.close()
  })

  test('makes no request to another origin, and does not violate the Content-Security-Policy', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
  })
})

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

test.each([
  ['37.58, 126.98', { latitude: 37.58, longitude: 126.98 }],
  ['-90 180', { latitude: -90, longitude: 180 }],
  ['37.58,126.98,5', undefined],
  ['90.1, 0', undefined],
  ['0, 180.5', undefined],
  ['1e1, 2', undefined],
  ['Seoul', undefined],
])('a coordinate is two numbers in degrees: %s', (text, point) => {
  expect(parseCoordinate(text)).toEqual(point)
})
