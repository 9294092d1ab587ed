import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, openBrowser, openPage, PHONE, type Visit, WIDE } from '../support/browser.ts'

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** The views, and an element that each has when it is complete. */
const VIEWS: Readonly<Record<string, string>> = {
  '': '.card',
  '?dataset=seoul-landmarks': '.places',
  '?dataset=seoul-landmarks&category=palace': '.places',
  '?dataset=seoul-landmarks,world-airports': '.compared .places li',
  '?dataset=seoul-landmarks&view=about': '.bars',
  '?dataset=seoul-landmarks&view=table': '.table-frame tbody th',
  '?dataset=seoul-landmarks&near=37.5796,126.977,1000': '.places',
  '?text=palace': '.places',
  '?text=incheom': '.places a',
  '?dataset=seoul-landmarks&item=ed9ea7d8-caaf-5cf9-817b-36ba51a4744b': '.members',
  '?dataset=none': '.problem',
}

/** The views whose map is drawn, with its controls. Those of the others are the same. */
const DRAWN = ['', '?dataset=seoul-landmarks']
const OTHERS = Object.keys(VIEWS).filter((address) => !DRAWN.includes(address))

describe.skipIf(!hasBrowser)('axe finds nothing', () => {
  let t: TestApp
  let visit: Visit
  /** Does not draw the map. */
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample', contact: 'Data team' })
    visit = await openBrowser(t.url, WIDE)
    ;({ page } = await openPage(visit.browser, t.url, WIDE, { map: false }))
    await page.goto(`${t.url}/#key=${t.key}`)
    await page.locator('.card').first().waitFor()
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const findings = async (tested: Page) => {
    // evaluate() is not held to the page's policy, as a script element is.
    await tested.evaluate(AXE)
    const { violations } = await tested.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run()',
    )
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  }
  const open = async (tested: Page, address: string) => {
    await tested.goto(`${t.url}/${address}`)
    await tested
      .locator(VIEWS[address] ?? '')
      .first()
      .waitFor()
  }

  test('in the page without a key', async () => {
    await visit.page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await visit.page.getByText('Ask for one: Data team').waitFor()
    expect(await findings(visit.page)).toEqual([])
    await giveKey(visit.page, t.key)
    await visit.page.locator('.places').waitFor()
  })

  test.each(
    DRAWN.flatMap((address) => [
      ['wide', 'light', address],
      ['wide', 'dark', address],
      ['narrow', 'light', address],
    ]),
  )('in the %s, %s view %s with its map', async (width, colorScheme, address) => {
    await visit.page.setViewportSize(width === 'wide' ? WIDE : PHONE)
    await visit.page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'dark' : 'light' })
    await open(visit.page, address)
    expect(await findings(visit.page)).toEqual([])
  })

  test.each(OTHERS)('in the wide view %s, light and then dark', async (address) => {
    await open(page, address)
    expect(await findings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await findings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test.each(OTHERS)('in the narrow, light view %s', async (address) => {
    await page.setViewportSize(PHONE)
    await open(page, address)
    expect(await findings(page)).toEqual([])
  })
})
