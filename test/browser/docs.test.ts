import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { hasBrowser, openBrowser, type Visit } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('In a browser', () => {
  let t: TestApp
  let visit: Visit
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, { width: 1200, height: 1000 })
    page = visit.page
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  test('the first page leads to GraphiQL, the reference and health, and each is there', async () => {
    await page.goto(t.url)
    await page.screenshot({ path: join(tmpdir(), 'landing.png') })
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(new Set(links)).toEqual(new Set(['/graphql', '/docs', '/v1/openapi.json', '/readyz', '/healthz']))
    for (const link of links) {
      expect((await fetch(t.url + link, { headers: { accept: 'text/html' } })).status).toBe(200)
    }
  })

  test('the reference shows the five routes, takes a key, and tries one', async () => {
    await page.goto(`${t.url}/docs`)
    await page.locator('.opblock').nth(4).waitFor()
    expect(await page.locator('.opblock').count()).toBe(5)
    await page.screenshot({ path: join(tmpdir(), 'docs.png') })
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input').fill(t.key)
    await page
      .locator('.auth-container')
      .getByRole('button', { name: /apply credentials|authorize/i })
      .click()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.locator('#operations-Datasets-listDatasets .opblock-summary').click()
    await page.locator('#operations-Datasets-listDatasets').getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').getByText('seoul-landmarks').first().waitFor()
    await page.screenshot({ path: join(tmpdir(), 'docs-tried.png') })
  })

  test('no request leaves for another origin, and no script fails', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
  })
})
