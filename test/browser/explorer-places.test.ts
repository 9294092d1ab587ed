import type { Locator, Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { hasBrowser, openControl, PHONE, useVisit, WIDE } from '../support/browser.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

const STOPS = Array.from({ length: 60 }, (_, i) => row({ externalId: `stop-${i}`, name: `Bus stop ${i}` }))
const MUSEUM = row({ externalId: 'museum', name: 'A museum', url: 'www.museum.go.kr' })

describe.skipIf(!hasBrowser)('The places of a dataset in the explorer', () => {
  const t = useApp()
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })
  let page: Page
  beforeAll(async () => {
    page = visit.page
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(MUSEUM, ...STOPS) })
    const long = 'A category with a long name of many words '.repeat(4)
    await importer.run(
      { 'items.ndjson': ndjson(MUSEUM) },
      {
        dataset: { slug: 'labelled', name: 'Labelled' },
        labels: { categoryCode: { x: long }, administrativeAreaCode: { 11: long } },
      },
    )
    await importer.close()
    await t.hearChanges()
  })

  const link = (name: string) => page.locator('.side').getByRole('link', { name, exact: true })
  const names = () => page.locator('.places a').allTextContents()
  const boxOf = async (element: Locator) => {
    const box = await element.boundingBox()
    if (!box) throw new Error('The element is not shown')
    return box
  }

  test('two clicks on "Show more" list each place once', async () => {
    await page.goto(`${t.url}/?dataset=places`)
    const held: Route[] = []
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"page":2')) held.push(route)
      else await route.continue()
    })
    const more = page.getByRole('button', { name: 'Show more (11 left)' })
    await more.click()
    await more.click()
    await expect.poll(() => held.length).toBe(2)
    for (const route of held) {
      await page.locator('.places').evaluate((list) => list.setAttribute('data-before', ''))
      await route.continue()
      await page.locator('.places:not([data-before])').waitFor()
      expect((await names()).sort()).toEqual([MUSEUM, ...STOPS].map(({ name }) => name).sort())
    }
    await page.unroute('**/graphql')
  })

  test.each([
    ['a low', { ...WIDE, height: 480 }],
    ['a narrow', PHONE],
  ])(
    'a place is shown from its start on %s screen, and the way back goes to the same place of a long list',
    async (_which, size) => {
      await page.setViewportSize(size)
      await page.goto(`${t.url}/?dataset=places`)
      await page.locator('.places a').last().click()
      const heading = page.getByRole('heading', { name: /^Bus stop/, level: 1 })
      await heading.waitFor()
      // The map is above it on a narrow screen, the search on others.
      const above = await boxOf(page.locator(size === PHONE ? '.map-area' : '.search'))
      const { y } = await boxOf(heading)
      expect(y).toBeGreaterThanOrEqual(above.y + above.height)
      expect(y).toBeLessThan(size.height)
      await page.goBack()
      const last = page.locator('.places a').last()
      await last.waitFor()
      expect((await boxOf(last)).y).toBeLessThan(size.height)
      await page.setViewportSize(WIDE)
    },
  )

  test('on a narrow screen a list of codes is no wider than the screen', async () => {
    await page.setViewportSize(PHONE)
    await page.goto(`${t.url}/?dataset=labelled`)
    await openControl(page, 'Filters')
    for (const name of ['Category', 'Area']) {
      await page.getByRole('combobox', { name, exact: true }).click()
      await page.getByRole('listbox').getByRole('option').nth(1).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
      await page.keyboard.press('Escape')
    }
    await page.setViewportSize(WIDE)
  })

  test('by keyboard, "Show more" goes on at the first new place', async () => {
    await page.goto(`${t.url}/?dataset=places`)
    await page.getByRole('button', { name: 'Show more (11 left)' }).press('Enter')
    await expect.poll(async () => (await names()).length).toBe(61)
    expect(await page.evaluate('document.activeElement.textContent')).toBe((await names())[50])
  })

  test('a typed point that is found too late does not replace the view that was opened meanwhile', async () => {
    await page.goto(`${t.url}/?dataset=places`)
    const held: Route[] = []
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Place(')) held.push(route)
      else await route.continue()
    })
    await openControl(page, 'Nearby')
    await page.getByLabel('Coordinate or name of a place').fill('museum')
    await page.keyboard.press('Enter')
    await expect.poll(() => held.length).toBe(1)
    await link('A museum').click()
    await page.getByRole('heading', { name: 'A museum', level: 1 }).waitFor()
    const answered = page.waitForResponse((response) => response.request() === held[0]?.request())
    await held[0]?.continue()
    await (await answered).finished()
    // The script of the page gets the response before that of a later request.
    await page.evaluate("fetch('/healthz').then((response) => response.text())")
    expect(page.url()).not.toContain('near=')
    await page.getByRole('heading', { name: 'A museum', level: 1 }).waitFor()
    await page.unroute('**/graphql')
  })

  test('a place that is not there leaves nothing of the place before', async () => {
    await page.goto(`${t.url}/?dataset=places`)
    await link('A museum').click()
    await page.getByRole('heading', { name: 'A museum', level: 1 }).waitFor()
    await page.evaluate(() => {
      history.pushState(null, '', '/?item=00000000-0000-4000-8000-000000000000')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await page.getByRole('alert').waitFor()
    expect(await page.title()).toBe('This view can’t be shown · Dataset Catalog')
  })

  test('the URL of an item is no link when it has no scheme', async () => {
    await page.goto(`${t.url}/?dataset=places`)
    await link('A museum').click()
    await page.locator('.members').getByText('www.museum.go.kr', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'www.museum.go.kr' }).count()).toBe(0)
  })

  test('a dataset that was imported while the page is open is listed, and one that was removed is not', async () => {
    const importer = await createImporter(t.database)
    await importer.run({ 'items.ndjson': ndjson(MUSEUM) }, { dataset: { slug: 'closing', name: 'Closing' } })
    await t.hearChanges()
    await page.goto(t.url)
    await link('Closing').waitFor()
    await link('Labelled').click()
    await link('A museum').waitFor()
    await importer.run({ 'items.ndjson': ndjson(MUSEUM) }, { dataset: { slug: 'opening', name: 'Opening' } })
    await t.database.prisma.dataset.delete({ where: { slug: 'closing' } })
    await importer.close()
    await t.hearChanges()
    await link('← All datasets').click()
    await link('Opening').waitFor()
    expect(await link('Closing').count()).toBe(0)
    await link('Opening').click()
    await page.getByRole('heading', { name: 'Opening', level: 1 }).waitFor()
  })
})
