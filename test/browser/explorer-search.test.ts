import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { hasBrowser, useVisit, WIDE } from '../support/browser.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

const MARKUP = `<img src=x onerror="globalThis.hacked=1"> "quoted" it's`
const PERCENT = '100% wool_shop'
const KOREAN = '국립중앙박물관'

const ITEMS = [
  ...[MARKUP, PERCENT, '100 wool shop', KOREAN].map((name) => row({ externalId: name, name })),
  ...Array.from({ length: 60 }, (_, i) => row({ externalId: `stop-${i}`, name: `Bus stop ${i}` })),
]

describe.skipIf(!hasBrowser)('The search of the explorer', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })
  let page: Page
  beforeAll(async () => {
    page = visit.page
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(...ITEMS) })
    await importer.close()
    await t.hearChanges()
  })

  const field = () => page.getByRole('combobox', { name: 'Search by name or keyword' })
  const openStart = async () => {
    await page.goto(t.url)
    await field().waitFor()
  }
  const status = (text: string | RegExp) =>
    page.locator('.search').getByRole('status').filter({ hasText: text }).waitFor()
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })
  const link = (name: string) => page.locator('.places').getByRole('link', { name, exact: true })
  const names = () => page.locator('.places a').allTextContents()
  test('finds a place by a part of its Korean name while a person types, and opens it', async () => {
    await openStart()
    await field().fill('중앙박물')
    await status('2 places with “중앙박물” in the name')
    // The other one has the Korean name as a keyword.
    expect(await names()).toEqual([KOREAN, 'National Museum of Korea'])
    expect(await field().evaluate((input) => input === document.activeElement)).toBe(true)
    // The list of suggestions is above the results.
    await page.keyboard.press('Escape')
    await link(KOREAN).click()
    await heading(KOREAN).waitFor()
    await page.goBack()
    await link(KOREAN).waitFor()
    await expect.poll(() => field().inputValue()).toBe('중앙박물')
    await page.goBack()
    await heading('Datasets').waitFor()
    expect(await field().inputValue()).toBe('')
  })

  test('suggests places for a misspelt name, as a list for the keyboard', async () => {
    await openStart()
    // In one step: a pause after a part of the word searches for that part, and its results move the map.
    await field().fill('gyeonbok')
    const suggestions = page.getByRole('listbox', { name: 'Suggested places' }).getByRole('option')
    // Places with the same name have another category or area.
    await suggestions.filter({ hasText: 'Gyeongbokgung PalacePalace · Jongno-gu' }).first().waitFor()
    expect(await field().getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    expect(await field().getAttribute('aria-activedescendant')).toBe(await suggestions.first().getAttribute('id'))
    const [name = ''] = (await suggestions.first().locator('bdi').allTextContents()) ?? []
    await page.keyboard.press('Enter')
    await heading(name).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe(name)
  })

  test('a place that is suggested for a search in vain stands in place of that search', async () => {
    await openStart()
    await field().fill('gyongbokgung')
    await page.getByRole('heading', { name: 'Did you mean' }).waitFor()
    await page.getByRole('listbox', { name: 'Suggested places' }).getByRole('option').first().click()
    await heading('Gyeongbokgung Palace').waitFor()
    expect([await field().inputValue(), new URL(page.url()).searchParams.has('text')]).toEqual(['', false])
    await page.goBack()
    await heading('Datasets').waitFor()
  })

  test('suggests only places that the filter and the visible part of the map have', async () => {
    const suggestions = page.getByRole('listbox', { name: 'Suggested places' }).getByRole('option')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=museum`)
    await heading('Seoul Landmarks').waitFor()
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('Suggestions') ?? false)
    await field().fill('national museum')
    await answered
    await suggestions.first().waitFor()
    expect(await suggestions.filter({ hasNotText: 'museum' }).count()).toBe(0)
    // In the Atlantic.
    await page.goto(`${t.url}/?within=-41,25,-40,26&text=incheom`)
    await status('No places with “incheom” in the name or keywords in the visible part of the map.')
    await expect.poll(() => page.locator('.view h1').count()).toBe(1)
    expect(await page.getByRole('heading', { name: 'Did you mean' }).count()).toBe(0)
  })

  /** Holds the requests whose body has a text, until the returned function is called. */
  const hold = async (text: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes(text)) await promise
      await route.continue().catch(() => undefined)
    })
    return async () => {
      resolve()
      await page.unroute('**/graphql')
    }
  }

  test('shows the places before their number, and asks for the number only if the page is full', async () => {
    const release = await hold('query Total')
    await page.goto(`${t.url}/?text=bus+stop`)
    await status('50+ places with “bus stop” in the name')
    expect(await names()).toHaveLength(50)
    await release()
    await status(/^60 places with/)
    await page.getByRole('button', { name: 'Show more (10 left)' }).waitFor()
    let counts = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query Total')) counts++
    })
    await page.goto(`${t.url}/?text=${KOREAN}`)
    await status('2 places')
    expect(counts).toBe(0)
  })

  test('shows the places before the labels of their codes, and the filters when the codes come', async () => {
    const release = await hold('query Codes')
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await link('Changdeokgung Palace').waitFor()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('combobox', { name: 'Category' }).click()
    const options = page.getByRole('listbox', { name: 'Category' }).getByRole('option')
    expect(await options.allTextContents()).toEqual(['any'])
    await release()
    await options.filter({ hasText: /^Museum/ }).waitFor()
    await page.locator('.places li').filter({ hasText: 'Changdeokgung PalacePalace' }).waitFor()
  })

  test('asks "did you mean" where nothing is found', async () => {
    await page.goto(`${t.url}/?text=incheom`)
    await status('No places with “incheom” in the name or keywords.')
    await page.getByRole('heading', { name: 'Did you mean' }).waitFor()
    await link('Incheon International Airport').click()
    await heading('Incheon International Airport').waitFor()
    expect(await field().inputValue()).toBe('')
    expect(await page.getByLabel('in', { exact: true }).inputValue()).toBe('world-airports')
  })

  test('the way back from a place that a search in all datasets has found goes to that search', async () => {
    await page.goto(`${t.url}/?text=incheon`)
    await status('with “incheon” in the name')
    const before = await names()
    await link('Incheon International Airport').click()
    await heading('Incheon International Airport').waitFor()
    await page.locator('.members').getByRole('link', { name: 'World Airports' }).waitFor()
    await page.locator('.back').getByRole('link', { name: '← All datasets' }).click()
    await heading('All datasets').waitFor()
    expect(await names()).toEqual(before)
    expect(page.url()).not.toContain('dataset=')
  })

  test('works with the keyboard alone, in one dataset', async () => {
    await openStart()
    await field().focus()
    await page.getByRole('combobox', { name: 'in', exact: true }).selectOption('World Airports')
    await heading('World Airports').waitFor()
    await field().focus()
    await page.keyboard.insertText('palace')
    await page.keyboard.press('Enter')
    await status('No places with “palace” in the name or keywords.')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('incheon')
    await status('1 place with “incheon” in the name')
    await link('Incheon International Airport').waitFor()
    await link('Incheon International Airport').focus()
    await page.keyboard.press('Enter')
    await heading('Incheon International Airport').waitFor()
  })

  test('a reload shows the same search, and the address never holds the key', async () => {
    await openStart()
    await field().fill('bus stop')
    await status('60 places')
    expect(await names()).toHaveLength(50)
    await page.getByRole('button', { name: 'Show more (10 left)' }).click()
    await link('Bus stop 9').waitFor()
    expect(await names()).toHaveLength(60)
    expect(page.url()).toContain('text=bus+stop')
    expect(page.url()).not.toContain('dck_')
    await page.reload()
    await status('60 places with “bus stop” in the name')
    expect(await field().inputValue()).toBe('bus stop')
  })

  test.each([
    // Punctuation is a space, so neither is a placeholder.
    ['%', []],
    ['_', []],
    ['100%', ['100 wool shop', PERCENT]],
    [`"quoted" it's`, [MARKUP]],
    ['<img src=x onerror=', [MARKUP]],
    ['\\', []],
  ])('%s is searched for as it is, and shown as text', async (text, found) => {
    await openStart()
    await field().fill(text)
    await status(`with “${text}” in the name`)
    await expect.poll(names).toEqual(found)
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
  })

  test('says what is wrong with a text that is too long or empty', async () => {
    await openStart()
    await field().fill('가'.repeat(201))
    await status('The text has 201 characters. Shorten it to 200.')
    expect(await field().getAttribute('aria-invalid')).toBe('true')
    await field().fill(' ')
    await field().press('Enter')
    await status('Type a part of a name.')
    await page.goto(`${t.url}/?text=${'x'.repeat(201)}`)
    await page.getByRole('alert').getByText('200').waitFor()
  })

  test('a slow response for an earlier text never replaces the response for the last one', async () => {
    await openStart()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"text":"palace"')) {
        await status('60 places').catch(() => undefined)
        await route.continue().catch(() => undefined)
      } else await route.continue()
    })
    const slow = page.waitForRequest((request) => request.postData()?.includes('"text":"palace"') ?? false)
    await field().fill('palace')
    const { failure } = await slow.then(async (request) => {
      await field().fill('bus stop')
      await status('60 places')
      return { failure: () => request.failure() }
    })
    await expect.poll(failure).not.toBeNull()
    expect((await names())[0]).toBe('Bus stop 0')
    await page.unroute('**/graphql')
  })

  test('a link that a person follows right after a key press drops the search that has not begun', async () => {
    await openStart()
    await field().fill('palace')
    await link('Changdeokgung Palace').waitFor()
    // In one step, so the search has no time to begin.
    await field().evaluate((input) => {
      if (input instanceof HTMLInputElement) input.value = 'palaces'
      input.dispatchEvent(new Event('input'))
      document.querySelector<HTMLElement>('.places a')?.click()
    })
    await heading('Changdeokgung Palace').waitFor()
    expect(await field().inputValue()).toBe('palace')
  })
})
