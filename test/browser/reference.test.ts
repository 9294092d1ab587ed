import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { giveKey, hasBrowser, openBrowser, type Visit } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('The API reference in a browser', () => {
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

  test('the reference shows its operations, takes a key once, and tries one', async () => {
    await page.goto(`${t.url}/docs`)
    await page.locator('.opblock').nth(4).waitFor()
    await giveKey(page, t.key)
    await page.reload()
    await page.locator('#operations-Datasets-listDatasets .opblock-summary').click()
    await page.locator('#operations-Datasets-listDatasets').getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').getByText('seoul-landmarks').first().waitFor()
    await page.screenshot({ path: join(tmpdir(), 'reference.png') })
  })

  test('no request leaves for another origin, and no script fails', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
  })
})
