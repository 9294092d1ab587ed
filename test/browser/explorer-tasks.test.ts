import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, openBrowser, openPage, PHONE, type Visit } from '../support/browser.ts'

/*
 * Tasks of people who have never seen the explorer, each with the clicks that it takes from the start page. Typing is no click.
 */

const SCREEN = { width: 1280, height: 760 }

describe.skipIf(!hasBrowser)('With a key, a person', () => {
  let t: TestApp
  let visit: Visit
  let page: Page
  let clicks = 0

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, SCREEN)
    page = visit.page
    await page.goto(t.url)
    await giveKey(page, t.key)
    await page.locator('.card').first().waitFor()
  })
  beforeEach(async () => {
    clicks = 0
    await page.setViewportSize(SCREEN)
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const openStart = async () => {
    await page.goto(t.url)
    await page.locator('.card').first().waitFor()
  }
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
  const link = (name: string) => page.locator('.side').getByRole('link', { name, exact: true })
  const control = (name: string) => page.locator('.control-row').getByRole('button', { name, exact: true })
  const search = () => page.getByRole('combobox', { name: /Search by name|Nach Name oder Stichwort|이름이나 키워드/ })

  test('finds a place with a misspelt name: 1 click', async () => {
    await openStart()
    await search().pressSequentially('gyeonbokgun', { delay: 10 })
    await click(page.getByRole('option', { name: /Gyeongbokgung Palace/ }).first())
    await heading('Gyeongbokgung Palace').waitFor()
    expect(clicks).toBe(1)
  })

  test('sees all large airports on the map: 2 clicks', async () => {
    await openStart()
    await click(link('World Airports'))
    await click(page.locator('#legend').getByRole('link', { name: 'large_airport' }))
    await page.getByText('12 places with these filters').waitFor()
    expect(clicks).toBe(2)
  })

  test('sees two datasets side by side: 3 clicks', async () => {
    await openStart()
    await click(page.getByRole('checkbox', { name: 'Compare: Seoul Landmarks' }))
    await click(page.getByRole('checkbox', { name: 'Compare: World Airports' }))
    await click(control('Compare'))
    const columns = page.locator('.compared section')
    await columns.nth(1).waitFor()
    expect(await columns.locator('h2').allTextContents()).toEqual(['Seoul Landmarks', 'World Airports'])
    expect(await columns.locator('strong').allTextContents()).toEqual(['27 places', '17 places'])
    const [left, right] = [await columns.first().boundingBox(), await columns.nth(1).boundingBox()]
    expect([left?.y, (left?.x ?? 0) < (right?.x ?? 0)]).toEqual([right?.y, true])
    expect(await page.locator('#legend-entries li').allTextContents()).toEqual([
      'Seoul Landmarks27',
      'World Airports17',
    ])
    expect(clicks).toBe(3)
    // A search stays in the two, and so does a link to it.
    await search().fill('incheon')
    await page.getByText('1 place with “incheon” in the name').waitFor()
    expect(await columns.locator('strong').allTextContents()).toEqual(['0 places', '1 place'])
    await page.reload()
    await page.getByText('1 place with “incheon” in the name').waitFor()
    expect(page.url()).toContain('dataset=seoul-landmarks,world-airports&text=incheon')
  })

  test('downloads some of the places: 4 clicks', async () => {
    await openStart()
    await click(link('Seoul Landmarks'))
    await click(page.locator('#legend').getByRole('link', { name: 'palace' }))
    await page.getByText('4 places with these filters').waitFor()
    await click(control('Download'))
    const started = page.waitForEvent('download')
    await click(page.locator('.controls').getByRole('button', { name: 'CSV', exact: true }))
    const lines = readFileSync(await (await started).path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines).toHaveLength(1 + 4)
    expect(clicks).toBe(4)
  })

  test('sees the first places of a dataset without scrolling, and the pictures of one before its facts: 2 clicks', async () => {
    await openStart()
    await click(link('Seoul Landmarks'))
    const third = page.locator('.places li').nth(2)
    await third.waitFor()
    const box = await third.boundingBox()
    expect((box?.y ?? SCREEN.height) + (box?.height ?? 0)).toBeLessThan(SCREEN.height)
    await click(link('Changdeokgung Palace'))
    const picture = await page.locator('.pictures img').first().boundingBox()
    const facts = await page.locator('.members').boundingBox()
    expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThan(facts?.y ?? 0)
    expect(picture?.y).toBeLessThan(SCREEN.height)
    expect(clicks).toBe(2)
  })

  test('finds a place on a phone, where legend and credit are folded and nothing is wider than the screen: 1 click', async () => {
    await page.setViewportSize(PHONE)
    await openStart()
    await search().pressSequentially('seol tower', { delay: 10 })
    await click(page.getByRole('listbox', { name: 'Suggested places' }).getByRole('option').first())
    await page.locator('.members').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    const open = page.locator('.map-area details[open]')
    expect(await open.count()).toBe(0)
    expect(clicks).toBe(1)
  })

  test('by keyboard alone skips to the results, opens a dataset and a place: no click', async () => {
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
    expect(clicks).toBe(0)
  })

  test.each([
    ['de-DE', '27 Orte', '4 Orte mit diesen Filtern', 'Kategorie'],
    ['ko-KR', '장소 27곳', '조건에 맞는 장소 4곳', '분류'],
  ])(
    'in a browser of %s finds the palaces and opens one, with no English: 3 clicks',
    async (locale, total, filtered, label) => {
      const { page: foreign } = await openPage(visit.browser, t.url, SCREEN, { locale })
      await foreign.goto(`${t.url}/#key=${t.key}`)
      await foreign.locator('.card').getByText(total).waitFor()
      await click(foreign.getByRole('link', { name: 'Seoul Landmarks', exact: true }).last())
      await click(foreign.locator('#legend').getByRole('link', { name: 'palace' }))
      await foreign.getByText(filtered).waitFor()
      await click(foreign.locator('.places').getByRole('link', { name: 'Gyeongbokgung Palace' }))
      await foreign.locator('.members').getByText(label, { exact: true }).waitFor()
      expect(clicks).toBe(3)
      await foreign.close()
    },
  )

  test('sends a link that somebody without a key opens, where the operator has a public key: no click', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'public' })
    const open = await startApp({ beside: t, publicKey: key })
    const { page: stranger } = await openPage(visit.browser, open.url, SCREEN)
    await stranger.goto(`${open.url}/?dataset=seoul-landmarks&category=palace`)
    await stranger.getByText('4 places with these filters').waitFor()
    expect(clicks).toBe(0)
    await stranger.close()
    await open.close()
  })

  test('shares a view without the key: 1 click', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await page.getByText('4 places with these filters').waitFor()
    // Headless Chromium has no share sheet.
    await click(page.getByRole('button', { name: 'Share' }))
    await page.getByRole('button', { name: 'Link copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain('dataset=seoul-landmarks&category=palace')
    expect(copied).not.toContain('dck_')
    expect(clicks).toBe(1)
  })

  test('does not violate the Content-Security-Policy', () => {
    expect([visit.foreign, visit.errors]).toEqual([[], []])
  })
})
