import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import { useApp } from '../support/app.ts'
import { hasBrowser, openControl, PHONE, useVisit } from '../support/browser.ts'

/*
 * Tasks of people who have never seen the explorer.
 */

const SCREEN = { width: 1280, height: 760 }

describe.skipIf(!hasBrowser)('With a key, a person', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, SCREEN, { map: false, hasKey: true })
  let page: Page
  beforeAll(() => {
    page = visit.page
  })

  const openStart = async () => {
    await page.goto(t.url)
    await page.locator('.card').first().waitFor()
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
  const link = (name: string) => page.locator('.side').getByRole('link', { name, exact: true })
  const control = (name: string) => page.locator('.control-row').getByRole('button', { name, exact: true })
  const search = () => page.getByRole('combobox', { name: 'Search by name or keyword' })

  test('sees two datasets side by side', async () => {
    await openStart()
    const [row, cards] = [await page.locator('.control-row').boundingBox(), await page.locator('.cards').boundingBox()]
    expect((cards?.y ?? 0) - (row?.y ?? 0) - (row?.height ?? 0)).toBeLessThan(20)
    await page.getByRole('checkbox', { name: 'Compare: Seoul Landmarks' }).click()
    await page.getByRole('checkbox', { name: 'Compare: World Airports' }).click()
    await control('Compare').click()
    const columns = page.locator('.compared section')
    await columns.nth(1).waitFor()
    expect(await columns.locator('h2').allTextContents()).toEqual(['Seoul Landmarks', 'World Airports'])
    expect(await columns.locator('strong').allTextContents()).toEqual(['27 places', '17 places'])
    const [left, right] = [await columns.first().boundingBox(), await columns.nth(1).boundingBox()]
    expect([left?.y, (left?.x ?? 0) < (right?.x ?? 0)]).toEqual([right?.y, true])
    // A search stays in the two, and so does a link to it.
    await search().fill('incheon')
    await page.getByText('1 place with “incheon” in the name').waitFor()
    expect(await columns.locator('strong').allTextContents()).toEqual(['0 places', '1 place'])
    await page.reload()
    await page.getByText('1 place with “incheon” in the name').waitFor()
    expect(page.url()).toContain('dataset=seoul-landmarks,world-airports&text=incheon')
    // A slug with a typing error spoils only its own column.
    await page.goto(`${t.url}/?dataset=seoul-landmarks,world-airport`)
    await columns.nth(1).getByRole('link', { name: 'world-airports' }).click()
    await columns.nth(1).getByText('17 places', { exact: true }).waitFor()
    expect(page.url()).toContain('dataset=seoul-landmarks,world-airports')
  })

  test('learns what is wrong with a link', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palac&near=abc`)
    await page.getByText('This part of the link was not understood: near=abc').waitFor()
    await page.getByText('No places match.').waitFor()
    await link('Palace').click()
    await page.getByText('4 places with these filters').waitFor()
    expect(await page.locator('#map-status').textContent()).toBe('')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table&page=99`)
    await page.getByText('Page 1 of 1').waitFor()
    await link('63 Building').waitFor()
    await page.goto(`${t.url}/?dataset=seoul-landmark`)
    await link('seoul-landmarks').waitFor()
    expect(await page.title()).toBe('This view can’t be shown · Dataset Catalog')
    expect(await page.getByLabel('in', { exact: true }).inputValue()).toBe('')
    expect(await page.locator('#credit').textContent()).toBe('Map: Natural Earth, GeoNames (CC BY 4.0)')
  })

  test('has one search field and one button that stands out; where it searches is shown on the way there', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await heading('Seoul Landmarks').waitFor()
    expect(await page.locator('.primary:visible').allTextContents()).toEqual(['Search'])
    const scope = () => page.getByLabel('Only in this map area')
    expect(await scope().isVisible()).toBe(false)
    // One line each for the bar, the search and the controls.
    expect((await page.locator('.view').boundingBox())?.y).toBeLessThan(112)
    const tops = await page
      .locator('.control-row .button')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(1)
    await search().press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Search')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByText('in the visible part of the map').first().waitFor()
    expect(await scope().isChecked()).toBe(true)
    await search().fill('palace')
    await control('List').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('with “palace” in the name or keywords in the visible part of the map').first().waitFor()
  })

  test('reads what to do on the map beside its legend, not below it', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Nearby')
    await page.getByRole('button', { name: 'Pick on the map' }).click()
    const said = await page.locator('#map-status').boundingBox()
    const legend = await page.locator('#legend').boundingBox()
    expect(said?.y).toBeGreaterThan((legend?.y ?? 0) + (legend?.height ?? 0))
    await page.keyboard.press('Escape')
  })

  test('sees the first places of a dataset without scrolling, and the pictures of one before its facts', async () => {
    await openStart()
    await link('Seoul Landmarks').click()
    const third = page.locator('.places li').nth(2)
    await third.waitFor()
    const box = await third.boundingBox()
    expect((box?.y ?? SCREEN.height) + (box?.height ?? 0)).toBeLessThan(SCREEN.height)
    await link('Changdeokgung Palace').click()
    const picture = await page.locator('.pictures img').first().boundingBox()
    const facts = await page.locator('.members').boundingBox()
    expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThan(facts?.y ?? 0)
    expect(picture?.y).toBeLessThan(SCREEN.height)
  })

  test('finds a place on a phone, and nothing is wider than the screen', async () => {
    await page.setViewportSize(PHONE)
    await openStart()
    await search().fill('seol tower')
    await page.getByRole('listbox', { name: 'Suggested places' }).getByRole('option').first().click()
    await page.locator('.members').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  })

  test.each([
    '?dataset=seoul-landmarks&view=table',
    '?dataset=seoul-landmarks&view=about',
    '?dataset=seoul-landmarks&area=11560&lang=de',
  ])('on a phone reads no name that is broken at a hyphen: %s', async (address) => {
    await page.goto(`${t.url}/${address}`)
    await page.locator('.view').getByText('Yeongdeungpo-gu').first().waitFor()
    const lines = await page
      .locator('.view :not(:has(*))', { hasText: /^\S+-gu$/ })
      .evaluateAll((all) => all.map((each) => each.getClientRects().length))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((count) => count !== 1)).toEqual([])
    const height = await page
      .locator('.word')
      .evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().height)))
    expect(height).toBeLessThan(30)
  })

  test('on a phone sees the places of a nearby search, not its form', async () => {
    await openStart()
    await link('Seoul Landmarks').click()
    await heading('Seoul Landmarks').waitFor()
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill('37.5796, 126.977')
    await page.keyboard.press('Enter')
    await page.getByText('within 1 km, nearest first').waitFor()
    expect(await page.getByLabel('Radius in metres').isVisible()).toBe(false)
    const third = await page.locator('.places li').nth(2).boundingBox()
    expect(third?.y).toBeLessThan(PHONE.height)
    expect(third?.y).toBeGreaterThan(0)
    await page.setViewportSize(SCREEN)
  })

  test('by keyboard alone skips to the results, opens a dataset and a place', async () => {
    await openStart()
    await page.locator('body').press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('skip')
    await page.keyboard.press('Enter')
    const tabTo = async (target: Locator) => {
      while (!(await target.evaluate((element) => element === document.activeElement))) await page.keyboard.press('Tab')
    }
    await tabTo(link('Seoul Landmarks'))
    await page.keyboard.press('Enter')
    await heading('Seoul Landmarks').waitFor()
    await tabTo(link('63 Building'))
    await page.keyboard.press('Enter')
    await heading('63 Building').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('63 Building')
  })

  test('shares a view without the key', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await page.getByText('4 places with these filters').waitFor()
    // Headless Chromium has no share sheet.
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('Link copied; it needs a key').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain('dataset=seoul-landmarks&category=palace')
    expect(copied).not.toContain('dck_')
  })

  test('a filter is a list that typing narrows, by keyboard too, and nothing else', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Filters')
    const category = page.getByRole('combobox', { name: 'Category', exact: true })
    await category.focus()
    await page.keyboard.insertText('PAL')
    const options = page.getByRole('listbox').getByRole('option')
    await expect.poll(() => options.allTextContents()).toEqual(['Palace4'])
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
    expect(await category.inputValue()).toBe('Palace')
    // Typed text chooses the first option, and Enter takes it.
    await category.fill('mus')
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('category=museum')
    await page.getByRole('link', { name: 'Remove filter Category: Museum' }).click()
    await page.getByText('27 places, by name').waitFor()
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
    await page.getByLabel('Radius in metres').fill('3000')
    await page.keyboard.press('Tab')
    await page.getByText('places with these filters within 3 km, nearest first').waitFor()
    expect(page.url()).toContain('category=palace&near=37.5796,126.977,3000')
  })

  test('a nearby search without places shows the nearest one, with a greater radius', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace&near=37.6796,126.977,500`)
    await page.getByText(/^No places match within 500 m\. The nearest is 1\d\.\d+ km away:$/).waitFor()
    await page.locator('.places').getByText('km · ').waitFor()
    await page.getByRole('button', { name: 'Search within 20 km' }).click()
    await page.getByText('4 places with these filters within 20 km, nearest first').waitFor()
    await page.getByRole('link', { name: 'Remove filter Nearby: 20 km, 37.6796, 126.9770' }).click()
    await page.getByText('4 places with these filters').waitFor()
    expect(page.url()).not.toContain('near=')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&near=0,0,500`)
    await page.getByText('There is none within 50 km either.').waitFor()
    await page.getByRole('link', { name: 'Show places farther away' }).click()
    await page.getByText('27 places, by name').waitFor()
  })

  test('a typed point that is neither a coordinate nor a place is reported', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill('91, 0')
    await page.getByRole('button', { name: 'Search there' }).click()
    await page.getByText('No place has a name like “91, 0”.').waitFor()
  })

  test('sees the size of each format before the download; that of GeoParquet is estimated well', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await openControl(page, 'Download')
    const size = (name: string) => page.locator('.exports').getByRole('button', { name: new RegExp(`^${name} \\(`) })
    for (const { title } of EXPORT_FORMATS) await size(title).waitFor()
    const [, digits = ''] = /^GeoParquet \(about (\d+) kB\)$/.exec((await size('GeoParquet').textContent()) ?? '') ?? []
    const { byteLength } = await (await t.get('/exports/seoul-landmarks.parquet')).arrayBuffer()
    expect((Number(digits) * 1000) / byteLength).toBeGreaterThan(2 / 3)
    expect((Number(digits) * 1000) / byteLength).toBeLessThan(3 / 2)
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

  test('the page of a dataset has the numbers of now, not those of the list that was open before', async () => {
    await page.goto(t.url)
    await page.getByText('2 datasets, 44 places').waitFor()
    await t.database.prisma.item.deleteMany({ where: { dataset: { slug: 'seoul-landmarks' }, categoryCode: 'museum' } })
    await t.hearChanges()
    await page.getByRole('link', { name: 'Seoul Landmarks' }).first().click()
    await heading('Seoul Landmarks').waitFor()
    await page.getByRole('link', { name: 'About', exact: true }).click()
    const { body } = await t.graphql('{ dataset(id: "seoul-landmarks") { items { total } } }')
    const { total } = body.data.dataset.items
    expect(total).toBeLessThan(27)
    await page.locator('.members').getByText(String(total), { exact: true }).first().waitFor({ timeout: 20_000 })
  })

  test('a link to the page of a dataset may name it by its UUID, in capitals too', async () => {
    const { body } = await t.graphql('{ dataset(id: "seoul-landmarks") { id } }')
    await page.goto(`${t.url}/?dataset=${body.data.dataset.id.toUpperCase()}&view=about`)
    await heading('Seoul Landmarks').waitFor()
  })
})
