import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { clickCopy, giveKey, hasBrowser, LARGE, openPage, PHONE, useVisit } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('GraphiQL in a browser', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, LARGE)
  let page: Page
  const statuses: number[] = []
  beforeAll(() => {
    page = visit.page
    page.on('response', (response) => statuses.push(response.status()))
  })

  const tabs = () => page.locator('.graphiql-tab-button').allTextContents()
  const result = () => page.locator('.graphiql-response')
  const run = () => page.getByRole('button', { name: /Execute query/ }).click()

  test('opens without a key, with a key field and a tab for each example, and no request fails', async () => {
    await page.goto(`${t.url}/graphql`)
    await page.getByText('Press Ctrl-Enter to run this.').waitFor()
    expect(await page.getByLabel('API key', { exact: true }).getAttribute('type')).toBe('password')
    expect(await page.getByLabel('API key', { exact: true }).getAttribute('title')).toContain('Authorization: Bearer')
    expect(await tabs()).toEqual(['Datasets', 'Palaces', 'Search', 'Nearby', 'Connection', 'Compare', 'Node'])
    expect(statuses.filter((status) => status >= 400)).toEqual([])
  })

  test('has the accent colour of the other pages, by day and by night', async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      const colours = await page.evaluate<
        string[]
      >(`[document.querySelector('.graphiql-execute-button'), document.querySelector('.bar form button')]
        .map((element) => getComputedStyle(element).backgroundColor.match(/\\d+/g).map((part) => Math.round(part / 8)).join())`)
      expect(colours[0]).toBe(colours[1])
    }
  })

  test('a query without a key moves the focus to the key field', async () => {
    await run()
    await result().getByText('Enter your API key above').waitFor()
    expect(
      await page.getByLabel('API key', { exact: true }).evaluate((input) => input === document.activeElement),
    ).toBe(true)
    expect(statuses.filter((status) => status >= 400)).toEqual([])
  })

  test('loads the schema as soon as there is a key, and runs the example', async () => {
    await giveKey(page, t.key)
    await page.getByRole('button', { name: /Documentation Explorer/ }).click()
    await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query' }).click()
    await page.getByText('Each field returns only what the API key may access').waitFor()
    await run()
    await result().getByText('"Seoul Landmarks"').first().waitFor()
  })

  test('keeps the query of the open tab in the address, never the key, and shows it again after a reload', async () => {
    await page.locator('.graphiql-tab-button', { hasText: 'Compare' }).click()
    await expect.poll(() => page.url()).toContain('Summary')
    expect(page.url()).toContain('world-airports')
    expect(page.url()).not.toContain('dck_')
    await page.reload()
    await page.getByText('One fragment for two datasets.').waitFor()
    await run()
    await result().getByText('"World Airports"').first().waitFor()
    expect(await tabs()).toHaveLength(7)
  })

  test('a second visit opens the last tab and adds none', async () => {
    // GraphiQL stores its tabs, and which one is open, half a second after it starts and after each change.
    const stored = async () => {
      const state = JSON.parse(await page.evaluate<string>(`localStorage.getItem('graphiql:tabState')`))
      return { total: state.tabs.length, open: state.activeTabIndex }
    }
    await expect.poll(stored).toEqual({ total: 7, open: 5 })
    await page.goto(`${t.url}/graphql`)
    await page.getByText('One fragment for two datasets.').waitFor()
    expect(await tabs()).toHaveLength(7)
  })

  test('shows the history', async () => {
    await page.getByRole('button', { name: /History/ }).click()
    await page.locator('.graphiql-history').getByText('Datasets').first().waitFor()
  })

  test('a link opens in another browser with its query, and asks for the key', async () => {
    const other = await openPage(visit.browser, t.url, PHONE)
    await other.page.goto(`${t.url}/graphql?query=${encodeURIComponent('query Linked { datasets { total } }')}`)
    await other.page.getByText('Linked').first().waitFor()
    await giveKey(other.page, t.key)
    await other.page.getByRole('button', { name: 'Forget key' }).waitFor()
    await other.page.getByRole('button', { name: /Execute query/ }).click()
    await other.page.locator('.graphiql-response').getByText('"total"').waitFor()
    expect(await other.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect([other.foreign, other.errors]).toEqual([[], []])
    await other.page.close()
  })

  test('makes no link to a query that is too long for an address', async () => {
    await page.goto(`${t.url}/graphql?query=${encodeURIComponent(`{ datasets { total } } #${'x'.repeat(9_000)}`)}`)
    await clickCopy(page.getByRole('button', { name: 'Copy link' }), 'Too long for a link')
  })

  test('forgets the key on request', async () => {
    await page.getByRole('button', { name: 'Forget key' }).click()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.getByLabel('API key', { exact: true }).waitFor()
  })

  test('loads its scripts once, compressed, and then from the cache', async () => {
    const html = await (await fetch(`${t.url}/graphql`, { headers: { accept: 'text/html' } })).text()
    expect(html.length).toBeLessThan(20_000)
    const [script = ''] = /\/assets\/\S+graphiql\.js/.exec(html) ?? []
    const response = await fetch(t.url + script, { headers: { 'accept-encoding': 'br' } })
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('cache-control')).toContain('immutable')
    // A connection with an unread response stays open.
    await response.body?.cancel()
    const tag = response.headers.get('etag') ?? ''
    expect((await fetch(t.url + script, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await fetch(`${t.url}/assets/older/graphiql/main.css`)).headers.get('cache-control')).toContain('no-cache')
    expect((await fetch(`${t.url}/assets/older/shared/../../pages.ts`)).status).toBe(404)
  })
})
