import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, openBrowser, PHONE, type Visit, WIDE } from '../support/browser.ts'

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

describe.skipIf(!hasBrowser)('axe finds nothing', () => {
  let t: TestApp
  let visit: Visit
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample', contact: 'Data team' })
    visit = await openBrowser(t.url, WIDE)
    page = visit.page
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const findings = async () => {
    // evaluate() is not held to the page's policy, as a script element is.
    await page.evaluate(AXE)
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()')
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  }

  test('in the page without a key', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.getByText('Ask for one: Data team').waitFor()
    expect(await findings()).toEqual([])
    await giveKey(page, t.key)
    await page.locator('.places').waitFor()
  })

  test.each(
    Object.keys(VIEWS).flatMap((address) => [
      ['wide', 'light', address],
      ['wide', 'dark', address],
      ['narrow', 'light', address],
    ]),
  )('in the %s, %s view %s', async (width, colorScheme, address) => {
    await page.setViewportSize(width === 'wide' ? WIDE : PHONE)
    await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'dark' : 'light' })
    await page.goto(`${t.url}/${address}`)
    await page
      .locator(VIEWS[address] ?? '')
      .first()
      .waitFor()
    expect(await findings()).toEqual([])
  })
})
