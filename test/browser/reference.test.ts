import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, LARGE, openBrowser, type Visit } from '../support/browser.ts'

interface Parameter {
  name: string
  in: string
  example: unknown
}

describe.skipIf(!hasBrowser)('The API reference in a browser', () => {
  let t: TestApp
  let visit: Visit
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, LARGE)
    page = visit.page
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  test('shows all operations without a key, in a page of limited length', async () => {
    await page.goto(`${t.url}/docs`)
    for (const name of ['A dataset', 'Items of a dataset', 'Items near a point', 'An item']) {
      await page.getByText(name, { exact: true }).first().click()
    }
    // The example of the item list, not that of its GeoJSON.
    await page.getByText('"categoryCode"').first().waitFor()
    expect(await page.getByText('"FeatureCollection"').count()).toBe(0)
    await page.screenshot({ path: join(tmpdir(), 'reference-operations.png'), fullPage: true })
    // Five operations and the introduction.
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(9_000)
  })

  test('asks for the key once, keeps it over a reload, and executes an operation', async () => {
    await giveKey(page, t.key)
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    await page.getByRole('button', { name: /Send/ }).first().click()
    await page.getByText('200 OK').waitFor()
    await page.screenshot({ path: join(tmpdir(), 'reference.png') })
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(t.key)
  })

  test('each example returns data of the sample', async () => {
    const document = await (await fetch(`${t.url}/v1/openapi.json`)).json()
    for (const [template, { get }] of Object.entries<{ get: { parameters: Parameter[] } }>(document.paths)) {
      const inPath = get.parameters.filter((parameter) => parameter.in === 'path')
      const inQuery = get.parameters.filter((parameter) => parameter.in === 'query')
      const path = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, `${example}`), template)
      const query = new URLSearchParams(inQuery.map(({ name, example }) => [name, `${example}`]))
      const answer = await (await t.get(`${path}?${query}`)).json()
      expect(answer, path).toHaveProperty('data')
      expect(answer.data, path).not.toEqual([])
    }
  })

  test('makes no request to another origin, and no script fails', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
  })
})
