import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { axeFindings, hasBrowser, openControl, useVisit, WIDE } from '../support/browser.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

const ISLANDS = ['179', '-179'].map((longitude) =>
  row({ externalId: longitude, name: `Island at ${longitude}`, latitude: '-17', longitude }),
)
/** The last one is far from the 50 that the list shows at first. */
const KIOSKS = Array.from({ length: 51 }, (_, i) =>
  row({ externalId: `kiosk-${i}`, name: `Kiosk ${10 + i}`, ...(i === 50 && { latitude: '-40', longitude: '-70' }) }),
)

describe.skipIf(!hasBrowser)('The map of the explorer', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { hasKey: true })
  let page: Page
  beforeAll(async () => {
    page = visit.page
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(...ISLANDS) }, { dataset: { slug: 'islands', name: 'Islands' } })
    await importer.run({ 'items.ndjson': ndjson(...KIOSKS) }, { dataset: { slug: 'kiosks', name: 'Kiosks' } })
    await importer.close()
    await t.hearChanges()
  })

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })
  const link = (name: string) => page.locator('.places').getByRole('link', { name, exact: true })
  const names = () => page.locator('.places a').allTextContents()
  const canvas = () => page.locator('.maplibregl-canvas')
  const said = (text: string | RegExp) => page.locator('#map-status').filter({ hasText: text }).waitFor()
  const entries = () => page.locator('#legend-entries > li:not(.others), #legend-entries summary').allTextContents()
  const visibleOnly = () => page.getByLabel('Only in this map area')
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

  test('the list comes before the map, and without it, with the reason, if the map can not be loaded or opened', async () => {
    const script = '**/maplibre-gl.mjs'
    const { promise: isWanted, resolve: want } = Promise.withResolvers<void>()
    await page.route(script, async (route) => {
      await isWanted
      await route.continue()
    })
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await link('Gyeongbokgung Palace').waitFor()
    expect(await canvas().count()).toBe(0)
    want()
    await expect.poll(() => page.url()).toContain('&at=37.5')
    await page.unroute(script)
    await page.route(script, (route) => route.abort())
    await page.reload()
    await link('Gyeongbokgung Palace').waitFor()
    await page.locator('.no-map', { hasText: 'The map is not complete' }).waitFor()
    await page.locator('#legend-entries').waitFor()
    await page.unroute(script)
    const body = 'export const openMap = () => { throw new Error("no context") }'
    await page.route('**/explorer/map.js', (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await page.reload()
    await page.locator('.no-map', { hasText: 'This browser can’t draw the map' }).waitFor()
    await page.locator('#legend-entries').waitFor()
    await page.unroute('**/explorer/map.js')
  })

  test('places at one point are one point with their number, and a click lists them', async () => {
    const at = { latitude: '10', longitude: '20' }
    const items = ['One', 'Two', 'Three'].map((name) => row({ ...at, externalId: name, name }))
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(...items) }, { dataset: { slug: 'tower', name: 'Tower' } })
    await importer.close()
    await t.hearChanges()
    await page.goto(`${t.url}/?dataset=tower&at=10,20,14`)
    await heading('Tower').waitFor()
    await tabToMap()
    await said('3 places. Enter lists them.')
    await page.keyboard.press('Enter')
    await page.getByText(/^3 places within \d m, nearest first$/).waitFor()
    expect(await page.locator('.places a').allTextContents()).toHaveLength(3)
    await t.database.prisma.dataset.delete({ where: { slug: 'tower' } })
  })

  test('a click zooms into dots that lie on each other, which say how many they are, and opens the place there', async () => {
    const { width = 0, height = 0 } = (await canvas().boundingBox()) ?? {}
    const position = { x: width / 2, y: height / 2 }
    const hover = async () => {
      await canvas().hover({ position: { x: 1, y: 1 } })
      await canvas().hover({ position })
      return page.locator('.maplibregl-popup').allTextContents()
    }
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.5596,127.0009,2`)
    // One click, when the place is drawn: a second one would read the item again before a slow server has answered.
    await expect.poll(hover, { interval: 500 }).toEqual(['27 places'])
    await canvas().click({ position })
    await expect.poll(() => page.url()).toMatch(/,4$/)
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.5511694,126.9882266,17`)
    await expect.poll(hover, { interval: 500 }).toEqual([expect.stringContaining('N Seoul Tower')])
    await canvas().click({ position })
    await heading('N Seoul Tower').waitFor()
  })

  test('a click chooses a point for a nearby search, unless another view opens before', async () => {
    const message = page.getByText('Click on the map to search around that point.')
    const pick = async () => {
      await openControl(page, 'Nearby')
      await page.getByRole('button', { name: 'Pick on the map' }).click()
      await message.waitFor()
    }
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await pick()
    await page.locator('.places').getByRole('link', { name: 'N Seoul Tower' }).click()
    await heading('N Seoul Tower').waitFor()
    await message.waitFor({ state: 'detached' })
    expect(await page.locator('body.picking').count()).toBe(0)
    // In the Atlantic no place is under the mouse.
    await page.goto(`${t.url}/?at=25.5,-40.5,5`)
    await pick()
    await canvas().click()
    await expect.poll(() => page.url()).toMatch(/\?near=25\.\d+,-40\.\d+,1000/)
    await heading('All datasets').waitFor()
  })

  test('axe finds nothing in the page with its map', async () => {
    await page.goto(t.url)
    await expect.poll(entries).toHaveLength(4)
    expect(await axeFindings(page)).toEqual([])
  })

  test('the map still shows all places when a table takes a part of its width', async () => {
    const zoom = () => Number(new URL(page.url()).searchParams.get('at')?.split(',')[2])
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await expect.poll(zoom).toBeGreaterThan(5)
    const besideList = zoom()
    await page.getByRole('link', { name: 'Table', exact: true }).click()
    await expect.poll(zoom).toBeLessThan(besideList)
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table&columns=keywords`)
    await expect.poll(zoom).toBeGreaterThan(5)
    expect(zoom()).toBeLessThan(besideList)
    await page.locator('.table-frame tbody td').filter({ hasText: '경복궁' }).waitFor()
  })

  test('the map of a table stays where it is when the order changes', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    await page.getByRole('link', { name: 'Name ↑' }).waitFor()
    await expect.poll(() => page.url()).toContain('&at=')
    const before = page.url()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => page.url()).not.toBe(before)
    const at = new URL(page.url()).searchParams.get('at')
    await page.getByRole('link', { name: 'Name ↑' }).click()
    expect(new URL(page.url()).searchParams.get('at')).toBe(at)
    await page.getByRole('link', { name: 'Name ↓' }).waitFor()
  })

  test('lists only the visible part of the map when that is asked for, and follows the map', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&at=37.5796,126.977,12`)
    await link('Gyeongbokgung Palace').waitFor()
    await page.getByRole('combobox', { name: 'Search' }).focus()
    await visibleOnly().check()
    await page
      .getByText(/in the visible part of the map$/)
      .first()
      .waitFor()
    const wide = await names()
    expect(page.url()).toMatch(/within=126\.\d+,37\.\d+,127\.\d+,37\.\d+&at=37\.5796,126\.977,12$/)
    for (let zoom = 13; zoom <= 16; zoom++) {
      await page.getByRole('button', { name: 'Zoom in' }).click()
      await expect.poll(() => page.url()).toMatch(new RegExp(`,${zoom}$`))
    }
    await expect.poll(names).toContain('Gyeongbokgung Palace')
    await expect.poll(async () => (await names()).length).toBeLessThan(wide.length)
    // The list may still be that of the zoom before.
    const [west, south, east, north] = (new URL(page.url()).searchParams.get('within') ?? '').split(',').map(Number)
    const { body } = await t.graphql(
      'query ($within: BoundingBox) { searchItems(within: $within, datasetId: "seoul-landmarks") { nodes { name } } }',
      { within: { west, south, east, north } },
    )
    const near = body.data.searchItems.nodes.map(({ name }: { name: string }) => name)
    await expect.poll(names).toEqual(near)
    await page.reload()
    await link('Gyeongbokgung Palace').waitFor()
    expect(await visibleOnly().isChecked()).toBe(true)
    await expect.poll(names).toEqual(near)
    await visibleOnly().uncheck()
    await page.getByText('27 places, by name').waitFor()
  })

  test('the map opens a dataset on both sides of the antimeridian around it, and lists its visible part', async () => {
    await page.goto(`${t.url}/?dataset=islands`)
    await expect.poll(() => page.url()).toMatch(/at=-1[67][.\d]*,-?1(79|80)[.\d]*,[6-9]/)
    await page.getByRole('combobox', { name: 'Search' }).focus()
    await visibleOnly().check()
    await page.getByText('2 places in the visible part of the map').first().waitFor()
    const [west = 0, , east = 0] = (new URL(page.url()).searchParams.get('within') ?? '').split(',').map(Number)
    expect(west).toBeGreaterThan(east)
    expect(await page.locator('#map-status').textContent()).toBe('')
  })

  test.each(['90,0', '-90,180', '-17,180', '0,-180'])('a search around %s draws its circle', async (point) => {
    await page.goto(`${t.url}/?near=${point},50000`)
    await page
      .getByText(/within 50 km, nearest first|No places match/)
      .first()
      .waitFor()
    expect(await page.getByText('The map is not complete').count()).toBe(0)
  })

  test('the button that shows all places of a long search shows those too that are not in the list', async () => {
    await page.goto(`${t.url}/?dataset=kiosks&text=kiosk`)
    await expect.poll(() => page.url()).toMatch(/at=37[.\d]*,12[67][.\d]*,13$/)
    await page.getByRole('button', { name: 'Show all places of this view' }).click()
    await expect.poll(() => page.url()).toMatch(/at=[-.\d]+,[-.\d]+,(-|0|1(?!\d))[.\d]*$/)
  })

  test('a busy server is asked again as its Retry-After says, for lists and for the map', async () => {
    const isShown = Promise.withResolvers<void>()
    const asked: number[] = []
    await page.route('**/graphql', async (route) => {
      asked.push(performance.now())
      const refused = { status: 503, headers: { 'retry-after': '2' }, json: { error: { code: 'SERVICE_UNAVAILABLE' } } }
      if (asked.length === 1) return route.fulfill(refused)
      await isShown.promise
      return route.continue()
    })
    let tiles = 0
    await page.route('**/tiles/**', (route) => (++tiles <= 2 ? route.fulfill({ status: 503 }) : route.continue()))
    await page.goto(`${t.url}/?dataset=world-airports`)
    await page.locator('#connection').getByText('The server is busy. Trying again …').waitFor()
    isShown.resolve()
    await heading('World Airports').waitFor()
    // Without the header, it would be at most 1,250 ms. A timer may be some milliseconds early.
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(1_900)
    await expect.poll(() => tiles).toBeGreaterThan(2)
    await expect.poll(() => page.locator('#connection').textContent()).toBe('')
    expect(await page.locator('#map-status').textContent()).toBe('')
    await page.unroute('**/graphql')
    await page.unroute('**/tiles/**')
    const limited = { status: 429, headers: { 'retry-after': '40' }, json: { error: { code: 'RATE_LIMITED' } } }
    await page.route('**/graphql', (route) => route.fulfill(limited))
    await page.goto(`${t.url}/?dataset=world-airports`)
    const limit = 'The limit of this key for a minute is reached. Trying again in 40 s …'
    await page.locator('#connection').getByText(limit).waitFor()
    await page.unroute('**/graphql')
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
    await page.getByRole('button', { name: 'Pick on the map' }).press('Enter')
    await said('use the arrow keys to move the map, and Enter to search around its centre')
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

  test('the legend names the most frequent categories with their totals, and each is a filter', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await expect.poll(entries).toHaveLength(7)
    const totals = (await entries()).map((text) => Number(/\d+$/.exec(text)?.[0]))
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(27)
    await page.locator('#legend').getByRole('link', { name: 'palace' }).press('Enter')
    await page.getByText('4 places with these filters').waitFor()
    // The others keep their colours, and say that they are left out.
    const chosen = () => page.locator('#legend [aria-current="true"]').allTextContents()
    await expect.poll(chosen).toEqual(['Palace'])
    expect(await entries()).toHaveLength(7)
    expect(await page.locator('#legend-entries > .left-out').count()).toBe(6)
    // The link that had the focus is gone.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.locator('.chips').getByRole('link', { name: 'Remove filter Category: Palace' }).click()
    await page.locator('#legend').getByText('others').click()
    await page.locator('#legend .others').getByRole('link', { name: 'Mountain' }).click()
    await expect.poll(chosen).toEqual(['Mountain'])
    await page.goto(t.url)
    await expect.poll(entries).toEqual(expect.arrayContaining(['Seoul Landmarks27', 'World Airports17']))
  })

  test('the legend has no totals where the view has only some of the places, and its names filter these', async () => {
    const legend = page.locator('#legend')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&text=palace`)
    await expect.poll(entries).toContain('Palace')
    expect((await entries()).filter((text) => /\d$/.test(text))).toEqual([])
    await page.goto(`${t.url}/?text=palace`)
    await expect.poll(entries).toEqual(expect.arrayContaining(['Seoul Landmarks', 'World Airports']))
    await legend.getByRole('link', { name: 'Seoul Landmarks' }).click()
    await expect.poll(() => page.url()).toMatch(/dataset=seoul-landmarks&text=palace/)
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table&page=2`)
    await legend.getByRole('link', { name: 'palace' }).click()
    await page.locator('.table-frame').getByRole('link', { name: 'Gyeongbokgung Palace' }).waitFor()
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=about`)
    await legend.getByRole('link', { name: 'palace' }).click()
    await page.getByText('4 places with these filters').waitFor()
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
})
