import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { giveKey, hasBrowser, LARGE, sendFromReference, useVisit } from '../support/browser.ts'
import { environment, type Finished, runProcess } from '../support/process.ts'

/** Runs a program in each language that the page offers. Fetch prints nothing, so its result is printed here. */
const CLIENTS: Record<string, (program: string) => Promise<Finished>> = {
  'JavaScript Fetch': runFetch,
  'Node.js Fetch': runFetch,
  'Python http.client': (program) => runProgram('python3', '-c', program),
  'Shell Curl': (program) => runProgram('sh', '-c', program),
}

function runFetch(program: string) {
  return runProgram(process.execPath, '-e', `${program.trim()}.then((response) => response.text()).then(console.log)`)
}

function runProgram(command: string, ...args: string[]) {
  return runProcess(command, args, environment({}))
}

describe.skipIf(!hasBrowser)('The API reference in a browser', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, LARGE)
  let page: Page
  beforeAll(() => {
    page = visit.page
  })

  test('shows all operations without a key, in a page of limited length', async () => {
    await page.goto(`${t.url}/docs`)
    for (const name of ['A dataset', 'Items of a dataset', 'Items near a point', 'An item']) {
      await page.getByText(name, { exact: true }).first().click()
    }
    // The example of the item list, not that of its GeoJSON.
    await page.getByText('"categoryCode"').first().waitFor()
    expect(await page.getByText('"FeatureCollection"').count()).toBe(0)
    for (const name of ['Search', 'A dataset as CSV', 'A map tile', 'The features of a collection']) {
      await page.getByRole('link', { name }).first().click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
    }
    // 19 operations and the introduction.
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(31_500)
  })

  test('asks for the key once; the examples of all languages run as printed, and ask for strict handling', async () => {
    await giveKey(page, t.key)
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    await page.getByText('Items of a dataset', { exact: true }).first().click()
    const card = page.locator('.request-card').filter({ hasText: '/v1/datasets/seoul-landmarks/items' }).first()
    const shown: string[] = []
    let current = 'Shell Curl'
    for (const [client, run] of Object.entries(CLIENTS)) {
      await card.getByRole('button', { name: current }).click()
      const options = page.getByRole('option')
      shown.splice(0, shown.length, ...(await options.allInnerTexts()))
      const [language = '', name = ''] = client.split(/ (?=\S+$)/)
      await page.getByRole('group', { name: language }).getByRole('option', { name, exact: true }).click()
      current = client
      await card.getByRole('button', { name: current }).waitFor()
      // The page shows no key, so the reader puts his own in.
      const program = (await card.locator('pre').innerText()).replaceAll('YOUR_API_KEY', t.key)
      expect(program).toMatch(/Prefer['"]?: ["']?handling=strict/)
      const { code, stdout, stderr } = await run(program)
      expect([client, code], stderr).toEqual([client, 0])
      expect([client, JSON.parse(stdout).data[0]]).toMatchObject([client, { categoryCode: 'palace' }])
    }
    expect(shown.toSorted()).toEqual(
      Object.keys(CLIENTS)
        .map((client) => client.split(' ').at(-1))
        .toSorted(),
    )
  })

  test('keeps the key over a reload, and executes an operation', async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    const preferences: (string | undefined)[] = []
    page.on('request', (request) => preferences.push(request.headers().prefer))
    await sendFromReference(page)
    expect(preferences).toEqual(['handling=strict'])
    await page.getByText(/Request Headers/).click()
    await page.getByText('Bearer YOUR_API_KEY', { exact: true }).waitFor()
    await page.getByText(/Code Snippet/).click()
  })

  test('shows the key nowhere: not in a header, a sample, a field or its storage', async () => {
    const values = `[...document.querySelectorAll('input, textarea')].map(({ value }) => value)`
    const shown = await page.evaluate(`JSON.stringify([document.documentElement.outerHTML, ${values}, localStorage])`)
    expect(shown).toContain('YOUR_API_KEY')
    expect(shown).not.toContain(t.key)
  })

  test('a key that is typed into the request itself is sent as it is', async () => {
    await page
      .getByPlaceholder('Token')
      .last()
      .fill(`dck_${'x'.repeat(43)}`)
    await page.getByRole('button', { name: /Send/ }).first().click()
    await page.getByText('401 Unauthorized').waitFor()
  })
})
