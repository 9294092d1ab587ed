import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const isThere = existsSync(CHROMIUM)
if (!isThere && !process.env.CI) process.stderr.write(`No browser at ${CHROMIUM}: the tests of GraphiQL are skipped\n`)

describe.skipIf(!isThere && !process.env.CI)('GraphiQL in a browser', () => {
  let t: TestApp
  let browser: Browser
  let page: Page
  const foreign: string[] = []
  const errors: string[] = []

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    })
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== t.url) foreign.push(request.url())
    })
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) errors.push(message.text())
    })
  })

  afterAll(async () => {
    await browser.close()
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
    expect(foreign).toEqual([])
    expect(errors).toEqual([])
  })
})
