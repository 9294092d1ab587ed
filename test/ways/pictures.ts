import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { launchBrowser, openPage, PHONE } from '../support/browser.ts'

/*
 * Takes a picture of each view of the explorer, for the eyes of whoever changes it:
 *
 *     node test/ways/pictures.ts http://127.0.0.1:4000 KEY FOLDER [WIDTH THEME LANGUAGE [VIEW ...]]
 *
 * The gateway has the sample data. Without a width, a theme and a language: 1280 by day in English, 1440 by night in German, and 390 by
 * night in Korean.
 */

interface PicturedView {
  address: string
  /** True if the page is opened without a key, a text for another key. */
  without?: boolean | string
  /** What a person does on the page first. */
  act?: (page: Page) => Promise<unknown>
}

const control = (page: Page, index: number) => page.locator('.control-row [aria-expanded]').nth(index).click()
const PALACE = 'ed9ea7d8-caaf-5cf9-817b-36ba51a4744b'
const SEOUL = '/?dataset=seoul-landmarks'
const VIEWS: Readonly<Record<string, PicturedView>> = {
  start: { address: '/' },
  key: { address: '/', act: (page) => page.locator('.key-facts summary').click() },
  places: { address: SEOUL },
  suggestions: { address: SEOUL, act: (page) => page.locator('.search input[type=search]').fill('pala') },
  filters: { address: SEOUL, act: (page) => control(page, 0) },
  options: {
    address: SEOUL,
    act: async (page) => {
      await control(page, 0)
      await page.locator('.fields input').first().click()
    },
  },
  chips: { address: `${SEOUL}&category=palace&area=11110` },
  nearbyform: { address: SEOUL, act: (page) => control(page, 1) },
  nearby: { address: `${SEOUL}&near=37.5796,126.977,1500` },
  nearbynone: { address: `${SEOUL}&category=palace&near=37.6796,126.977,500` },
  nearbynever: { address: `${SEOUL}&near=0,0,500` },
  pick: {
    address: SEOUL,
    act: async (page) => {
      await control(page, 1)
      await page.locator('.fields .actions .button').last().click()
    },
  },
  located: {
    address: SEOUL,
    act: async (page) => {
      await control(page, 1)
      await page.locator('.fields .actions .button').first().click()
    },
  },
  download: { address: SEOUL, act: (page) => control(page, 2) },
  search: { address: '/?text=palace' },
  misspelt: { address: '/?text=incheom' },
  nothing: { address: '/?text=qqqqqqq' },
  item: { address: `${SEOUL}&item=${PALACE}` },
  itemlow: {
    address: `${SEOUL}&item=${PALACE}`,
    act: (page) => page.locator('.request summary').first().scrollIntoViewIfNeeded(),
  },
  table: { address: `${SEOUL}&view=table` },
  columns: { address: `${SEOUL}&view=table`, act: (page) => page.locator('.columns summary').click() },
  compare: { address: '/?dataset=seoul-landmarks,world-airports' },
  choosing: { address: '/', act: (page) => page.locator('.card input').first().click() },
  about: { address: `${SEOUL}&view=about` },
  developers: { address: SEOUL, act: (page) => page.locator('.request summary').first().click() },
  embed: { address: SEOUL, act: (page) => page.locator('.back .button').first().click() },
  share: { address: SEOUL, act: (page) => page.locator('.back .button').last().click() },
  legend: {
    address: SEOUL,
    act: async (page) => {
      // A phone begins with a folded legend.
      const folded = page.locator('.legend:not([open]) > summary')
      if ((await folded.count()) > 0) await folded.click()
      await page.locator('.legend .others summary').click()
    },
  },
  welcome: { address: '/', without: true },
  link: { address: SEOUL, without: true, act: (page) => page.locator('.view summary').first().click() },
  forgotten: { address: '/', act: (page) => page.locator('#key-known button').click() },
  wrongkey: { address: '/', without: 'dck_wrong' },
  wrongslug: { address: '/?dataset=seoul-landmark' },
  wrongitem: { address: '/?item=00000000-0000-4000-8000-000000000000' },
  offline: {
    address: '/',
    act: async (page) => {
      await page.context().setOffline(true)
      await page.locator('.card a').first().click()
      await page.waitForTimeout(1500)
    },
  },
  graphiql: { address: '/graphql' },
  reference: { address: '/docs' },
  ogc: { address: '/ogc' },
}

const [url = '', key = '', folder = '', width, theme = 'day', language = 'en', ...only] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const browser = await launchBrowser()
const sets: [number, string, string][] = width
  ? [[Number(width), theme, language]]
  : [
      [1280, 'day', 'en'],
      [1440, 'night', 'de'],
      [PHONE.width, 'night', 'ko'],
    ]
for (const set of sets) {
  for (const [name, view] of Object.entries(VIEWS))
    if (only.length === 0 || only.includes(name)) await takePicture(name, view, ...set)
}
await browser.close()

async function takePicture(
  name: string,
  { address, without, act }: PicturedView,
  width: number,
  theme: string,
  language: string,
) {
  const size = width < 640 ? PHONE : { width, height: Math.round(width * 0.625) }
  const { page, errors } = await openPage(browser, url, size, { locale: language })
  page.setDefaultTimeout(20_000)
  await page.emulateMedia({ colorScheme: theme === 'night' ? 'dark' : 'light' })
  const fragment = without === true ? '' : `#key=${without ?? key}`
  const file = `${folder}/${width}-${theme}-${language}-${name}`
  try {
    await page.goto(`${url}${address}${fragment}`)
    await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
    await act?.(page)
    await page.waitForTimeout(1200)
    await page.screenshot({ path: `${file}.png` })
    if (width < 640) {
      await page.mouse.wheel(0, 560)
      await page.waitForTimeout(500)
      await page.screenshot({ path: `${file}-below.png` })
    }
    if (errors.length > 0) process.stdout.write(`${file} ${errors}\n`)
  } catch (error) {
    process.stdout.write(`${file} ${String(error).split('\n')[0]}\n`)
    await page.screenshot({ path: `${file}.png` })
  }
  await page.close()
}
