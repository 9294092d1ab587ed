import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { hasBrowser, openBrowser, type Visit } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('GraphiQL in a browser', () => {
  let t: TestApp
  let visit: Visit
  let page: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, { width: 1400, height: 900 })
    page = visit.page
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  test('opens without a key, with the Authorization header ready and an example query', async () => {
    await page.goto(`${t.url}/graphql`)
    await page.getByText('Fill in your API key below').waitFor()
    await page.getByText('"Authorization"').waitFor()
    expect(await page.getByText('Bearer <API_KEY>').count()).toBe(1)
  })

  test('runs the example once the key is filled in, and then knows the schema', async () => {
    await page.getByText('"Authorization"').click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    for (const _ of '<API_KEY>') await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.insertText(t.key)
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.graphiql-response').getByText('"Seoul Landmarks"').first().waitFor()
    await page.getByRole('button', { name: /Documentation Explorer/ }).click()

    await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query' }).click()
    await page.getByText('Everything there is to read').waitFor()
    await page.screenshot({ path: join(tmpdir(), 'graphiql.png') })
  })

  test('makes no request to another origin, and no script fails', () => {
    expect(visit.foreign).toEqual([])
    expect(visit.errors).toEqual([])
  })
})
