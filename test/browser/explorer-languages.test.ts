import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { MESSAGES } from '../../src/explorer/shared/text.ts'
import { useApp } from '../support/app.ts'
import { hasBrowser, openPage, useVisit, WIDE } from '../support/browser.ts'

const { de, en, ko } = MESSAGES

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
  '/?dataset=no-such-dataset': '.problem',
}

/** The messages that are the same text in each use. */
const constants = (table: object) => Object.entries(table).filter(([, message]) => typeof message === 'string')
const texts: Readonly<Record<string, unknown>> = en

describe.skipIf(!hasBrowser)('The languages of the explorer', () => {
  const t = useApp({ data: 'sample', contact: 'data@example.org' })
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })
  let page: Page
  beforeAll(() => {
    page = visit.page
  })

  const open = async (address: string, language: string) => {
    await page.goto(`${t.url}${address}${address.includes('?') ? '&' : '?'}lang=${language}`)
    await page
      .locator(VIEWS[address] ?? '')
      .first()
      .waitFor()
  }

  test.each(
    Object.entries({ de, ko }).flatMap(([language, table]) =>
      Object.keys(VIEWS).map((address) => [language, address, table] as const),
    ),
  )('in %s, %s has no English message', async (language, address, table) => {
    await open(address, language)
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim())
    const foreign = constants(table).flatMap(([name, message]) => (texts[name] === message ? [] : String(texts[name])))
    expect(lines.filter((line) => foreign.includes(line))).toEqual([])
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
  })

  test('a slug with a typing error has the nearest one beside it', async () => {
    await page.goto(`${t.url}/?dataset=soul-landmarks&lang=de`)
    await page.getByText(`${de.notFound} ${de.didYouMean} seoul-landmarks?`).waitFor()
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

  test('a Korean page has the Korean part of labels in two scripts, other pages the other part', async () => {
    for (const [language, palace, area] of [
      ['ko', '궁궐', '종로구'],
      ['de', 'Palace', 'Jongno-gu'],
    ] as const) {
      await open('/?dataset=seoul-landmarks&view=table', language)
      await page.locator('tbody').getByText(palace, { exact: true }).first().waitFor()
      await page.locator('tbody').getByText(area, { exact: true }).first().waitFor()
      await open('/?dataset=seoul-landmarks&category=palace', language)
      await page.locator('.chips').getByText(palace, { exact: true }).waitFor()
      await page.locator('.places').getByText(palace, { exact: true }).first().waitFor()
      await page.locator('#legend').getByText(palace, { exact: true }).waitFor()
      await open('/?dataset=seoul-landmarks&view=about', language)
      await page.locator('.bars').getByText(palace, { exact: true }).waitFor()
    }
  })

  test('the browser chooses the language, and English stands in for one that has no table', async () => {
    const tables = { 'de-AT': de, ko, 'fr-FR': en }
    for (const [locale, { welcome, startPrintedLink }] of Object.entries(tables)) {
      const { page: other } = await openPage(visit.browser, t.url, WIDE, { locale, map: false })
      await other.goto(t.url)
      await other.getByRole('heading', { name: welcome }).waitFor()
      await other.getByText(startPrintedLink).waitFor()
      await other.close()
    }
  })
})
