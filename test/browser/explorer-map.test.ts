import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCoordinate } from '../../src/explorer/explorer/point-field.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, openBrowser, type Visit, WIDE } from '../support/browser.ts'

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

  test('by keyboard, the arrow keys and Enter choose a point on the map for a nearby search', async () => {
    await page.goto(`${t.url}/?at=25.5,-40.5,5`)
    await page.getByRole('button', { name: 'a point on the map' }).press('Enter')
    await said('move the map with the arrow keys and press Enter')
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
    ['37.5796, 126.977', /near=37\.5796,126\.977,1000/],
    ['gyeongbokgung', /near=37\.5[\d.]*,126\.9[\d.]*,1000/],
  ])('a point for a nearby search can be typed: %s', async (text, address) => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.getByLabel('Coordinate or name of a place').fill(text)
    await page.keyboard.press('Enter')
    await page.getByText('within 1 km, nearest first').waitFor()
    expect(page.url()).toMatch(address)
  })

  test('a typed point that is neither a coordinate nor a place is reported', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.getByLabel('Coordinate or name of a place').fill('91, 0')
    await page.getByRole('button', { name: 'Search there' }).click()
    await page.getByText('No place with “91, 0” in its name.').waitFor()
  })

  test('the legend names the most frequent categories with their totals, and each is a filter', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await expect.poll(entries).toHaveLength(7)
    const totals = (await entries()).map((text) => Number(/\d+$/.exec(text)?.[0]))
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(27)
    await page.locator('#legend').getByRole('link', { name: 'palace' }).click()
    await page.getByText('4 places with these filters').waitFor()
    await page.goto(t.url)
    await expect.poll(entries).toEqual(['Seoul Landmarks27', 'World Airports17'])
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

  test('makes no request to another origin, and does not violate the Content-Security-Policy', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
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
