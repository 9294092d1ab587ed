import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { de } from '../../src/explorer/messages/de.ts'
import { en } from '../../src/explorer/messages/en.ts'
import { ko } from '../../src/explorer/messages/ko.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { hasBrowser, type OpenPage, openBrowser, openPage, type Visit, WIDE } from '../support/browser.ts'

/** The views, and an element that each has when it is complete. */
const VIEWS: Readonly<Record<string, string>> = {
  '/': '.card',
  '/?dataset=seoul-landmarks&category=palace': '.places',
  '/?dataset=seoul-landmarks,world-airports': '.compared .places li',
  '/?dataset=seoul-landmarks&view=about': '.bars',
  '/?dataset=seoul-landmarks&view=table': '.table-frame tbody th',
  '/?dataset=seoul-landmarks&near=37.5796,126.977,1500': '.places',
  '/?text=incheom': '.places a',
  '/?dataset=seoul-landmarks&item=ed9ea7d8-caaf-5cf9-817b-36ba51a4744b': '.members',
  '/?dataset=none': '.problem',
}

/** The messages that are the same text in each use. */
const constants = (table: object) => Object.entries(table).filter(([, message]) => typeof message === 'string')
const texts: Readonly<Record<string, unknown>> = en

describe.skipIf(!hasBrowser)('The languages of the explorer', () => {
  let t: TestApp
  let visit: Visit
  let page: Page
  /** Draws the map. */
  let drawn: OpenPage

  beforeAll(async () => {
    t = await startApp({ data: 'sample', contact: 'data@example.org' })
    visit = await openBrowser(t.url, WIDE, { map: false })
    page = visit.page
    drawn = await openPage(visit.browser, t.url, WIDE)
    for (const each of [page, drawn.page]) {
      await each.goto(`${t.url}/#key=${t.key}`)
      await each.locator('.card').first().waitFor()
    }
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const open = async (address: string, language: string, tested = page) => {
    await tested.goto(`${t.url}${address}${address.includes('?') ? '&' : '?'}lang=${language}`)
    await tested
      .locator(VIEWS[address] ?? '')
      .first()
      .waitFor()
  }

  test.each(
    Object.entries({ de, ko }).flatMap(([language, table]) =>
      Object.keys(VIEWS).map((address) => [language, address, table] as const),
    ),
  )('in %s, %s has no English message', async (language, address, table) => {
    const tested = address === '/' ? drawn.page : page
    await open(address, language, tested)
    const lines = (await tested.locator('body').innerText()).split('\n').map((line) => line.trim())
    const foreign = constants(table).flatMap(([name, message]) => (texts[name] === message ? [] : String(texts[name])))
    expect(lines.filter((line) => foreign.includes(line))).toEqual([])
    expect(await tested.locator('html').getAttribute('lang')).toBe(language)
  })

  test('numbers, dates and distances are those of the language', async () => {
    await open('/?dataset=seoul-landmarks&near=37.5796,126.977,1500', 'de')
    await page.getByText('im Umkreis von 1,5 km, die nächsten zuerst').waitFor()
    await page
      .locator('.places')
      .getByText(/^1,\d+ km/)
      .first()
      .waitFor()
    await open('/?dataset=seoul-landmarks&view=about', 'ko')
    await page
      .locator('.members')
      .getByText(/^20\d\d년 \d+월 \d+일$/)
      .first()
      .waitFor()
  })

  test('the list of languages opens the same view in another one, and further links and views keep it', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.locator('.places').waitFor()
    await page.getByLabel('Language').selectOption('한국어')
    await page.getByText('장소 27곳, 이름순').waitFor()
    expect(page.url()).toMatch(/dataset=seoul-landmarks.*&lang=ko/)
    await page.locator('.places').getByRole('link', { name: 'N Seoul Tower' }).click()
    await page.locator('.members').getByText('분류').waitFor()
    expect(page.url()).toMatch(/&lang=ko/)
    await page.getByLabel('언어').selectOption('Deutsch')
    await page.locator('.members').getByText('Kategorie').waitFor()
  })

  test('the browser chooses the language, and English stands in for one that has no table', async () => {
    const headings = { 'de-AT': de.welcome, ko: ko.welcome, 'fr-FR': en.welcome }
    for (const [locale, welcome] of Object.entries(headings)) {
      const { page: other } = await openPage(visit.browser, t.url, WIDE, { locale, map: false })
      await other.goto(t.url)
      await other.getByRole('heading', { name: welcome }).waitFor()
      await other.close()
    }
  })

  test('does not violate the Content-Security-Policy', () => {
    for (const { foreign, errors } of [visit, drawn]) expect([foreign, errors]).toEqual([[], []])
  })
})
