import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { hasBrowser, openBrowser, openPage, type Visit, WIDE } from '../support/browser.ts'

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

describe.skipIf(!hasBrowser)('The table of the explorer', () => {
  let t: TestApp
  let visit: Visit
  let page: Page
  /** Draws the map. */
  let drawn: Page

  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    visit = await openBrowser(t.url, WIDE, { map: false })
    page = visit.page
    ;({ page: drawn } = await openPage(visit.browser, t.url, WIDE))
    for (const each of [page, drawn]) {
      await each.goto(`${t.url}/#key=${t.key}`)
      await each.getByText('2 datasets, 44 places').waitFor()
    }
  })
  afterAll(async () => {
    await visit.browser.close()
    await t.close()
  })

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })

  test('the map still shows all places when a table takes a part of its width', async () => {
    const zoom = () => Number(new URL(drawn.url()).searchParams.get('at')?.split(',')[2])
    await drawn.goto(`${t.url}/?dataset=seoul-landmarks`)
    await expect.poll(zoom).toBeGreaterThan(5)
    const besideList = zoom()
    await drawn.getByRole('link', { name: 'Table', exact: true }).click()
    await expect.poll(zoom).toBeLessThan(besideList)
    await drawn.goto(`${t.url}/?dataset=seoul-landmarks&view=table&columns=keywords`)
    await expect.poll(zoom).toBeGreaterThan(5)
    expect(zoom()).toBeLessThan(besideList)
    await drawn.locator('.table-frame tbody td').filter({ hasText: '경복궁' }).waitFor()
  })

  test('the places of a dataset are a table too: sorted, filtered, with chosen columns, each a link', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await page.getByRole('link', { name: 'Table', exact: true }).click()
    const names = () => page.locator('.table-frame tbody th').allTextContents()
    await expect.poll(names).toHaveLength(4)
    const sorted = await names()
    await page.getByRole('link', { name: 'Name ↑' }).click()
    await expect.poll(names).toEqual(sorted.toReversed())
    expect(await page.locator('th[aria-sort="descending"]').count()).toBe(1)
    const focused = () => page.evaluate('document.activeElement.dataset.focus')
    expect(await focused()).toBe('sort-name')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByLabel('Telephone').press(' ')
    await page.getByRole('columnheader', { name: 'Telephone' }).waitFor()
    expect(await focused()).toBe('column-telephone')
    expect(page.url()).toMatch(
      /view=table&columns=name,categoryCode,administrativeAreaCode,telephone,updatedAt&order=desc/,
    )
    await page.reload()
    await page.getByRole('columnheader', { name: 'Telephone' }).waitFor()
    await page.getByRole('link', { name: 'Gyeongbokgung Palace' }).press('Enter')
    await heading('Gyeongbokgung Palace').waitFor()
    await page.goBack()
    await expect.poll(names).toEqual(sorted.toReversed())
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.getByText('4 places with these filters').waitFor()
    await page.locator('.places').getByRole('link', { name: 'Gyeongbokgung Palace' }).waitFor()
  })

  test('the map of a table stays where it is when the order changes', async () => {
    await drawn.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    await drawn.getByRole('link', { name: 'Name ↑' }).waitFor()
    await expect.poll(() => drawn.url()).toContain('&at=')
    const before = drawn.url()
    await drawn.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => drawn.url()).not.toBe(before)
    const at = new URL(drawn.url()).searchParams.get('at')
    await drawn.getByRole('link', { name: 'Name ↑' }).click()
    expect(new URL(drawn.url()).searchParams.get('at')).toBe(at)
    await drawn.getByRole('link', { name: 'Name ↓' }).waitFor()
  })

  test('two columns that are chosen one right after the other are both shown', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    await page.getByLabel('Telephone').waitFor({ state: 'attached' })
    // In one step, so that the table cannot change between them.
    await page.locator('.columns').evaluate((columns) => {
      for (const label of columns.querySelectorAll('label')) {
        if (/Telephone|Website/.test(label.textContent ?? '')) label.querySelector('input')?.click()
      }
    })
    await page.getByRole('columnheader', { name: 'Website' }).waitFor()
    await page.getByRole('columnheader', { name: 'Telephone' }).waitFor()
  })

  test('a search and a circle are tables too, in their own order, with distances', async () => {
    const names = () => page.locator('.table-frame tbody th').allTextContents()
    const namesOf = (items: { name: string }[]) => items.map(({ name }) => name)
    await page.goto(`${t.url}/?text=palace`)
    await page.getByRole('link', { name: 'Table', exact: true }).click()
    await expect.poll(names).toContain('Gyeongbokgung Palace')
    const { body } = await t.graphql('{ searchItems(text: "palace", limit: 50) { nodes { name } } }')
    expect(await names()).toEqual(namesOf(body.data.searchItems.nodes))
    expect(await page.locator('th[aria-sort], thead a').count()).toBe(0)
    await page
      .locator('.search')
      .getByText(/with “palace” in the name or keywords/)
      .waitFor()
    await page.getByRole('combobox', { name: 'Search by name or keyword' }).fill('museum')
    await expect.poll(() => page.url()).toContain('text=museum&view=table')
    await expect.poll(names).toContain('National Folk Museum of Korea')
    await page.goto(`${t.url}/?dataset=seoul-landmarks&near=37.5796,126.977,1000&view=table`)
    await page.getByRole('columnheader', { name: 'Distance' }).waitFor()
    const near = await (
      await t.get('/v1/dataset-items/nearby?latitude=37.5796&longitude=126.977&datasetId=seoul-landmarks&limit=50')
    ).json()
    expect(await names()).toEqual(namesOf(near.data))
    await page.locator('.table-frame tbody tr').first().getByText('4.1 m', { exact: true }).waitFor()
  })

  test('the columns of a table are as wide as one likes, by keyboard and by mouse, also on the next page', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    const handle = page.getByRole('separator', { name: 'Width of Category' })
    const heading = page.getByRole('columnheader', { name: 'Category' })
    const width = async () => Math.round((await heading.boundingBox())?.width ?? 0)
    await handle.waitFor()
    const before = await width()
    await handle.press('ArrowRight')
    await handle.press('ArrowRight')
    expect(await width()).toBe(before + 32)
    expect(await handle.getAttribute('aria-valuenow')).toBe(String(before + 32))
    await handle.press('ArrowLeft')
    expect(await width()).toBe(before + 16)
    const box = await handle.boundingBox()
    if (!box) throw new Error('The handle is not shown')
    await page.mouse.move(box.x + 2, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(box.x + 42, box.y + 5)
    await page.mouse.up()
    expect(await width()).toBe(before + 56)
    await page.getByRole('link', { name: 'Name ↑' }).click()
    await page.getByRole('link', { name: 'Name ↓' }).waitFor()
    expect(await width()).toBe(before + 56)
    await handle.press('Home')
    expect(await handle.getAttribute('aria-valuenow')).toBe('48')
  })

  test('the panel with a table is as wide as one likes, by keyboard and by mouse', async () => {
    await drawn.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    const handle = drawn.getByRole('separator', { name: 'Width of the panel' })
    const width = async () => Math.round((await drawn.locator('#side').boundingBox())?.width ?? 0)
    await handle.waitFor()
    const before = await width()
    await handle.press('ArrowLeft')
    await handle.press('ArrowLeft')
    expect(await width()).toBe(before - 32)
    expect(await handle.getAttribute('aria-valuenow')).toBe(String(before - 32))
    await handle.press('ArrowRight')
    expect(await width()).toBe(before - 16)
    const box = await handle.boundingBox()
    if (!box) throw new Error('The handle is not shown')
    await drawn.mouse.move(box.x + 2, box.y + 200)
    await drawn.mouse.down()
    await drawn.mouse.move(box.x + 42, box.y + 200)
    await drawn.mouse.up()
    expect(await width()).toBe(before + 24)
    // The map takes the rest of the drawn.
    const map = await drawn.locator('.map-area').boundingBox()
    expect(map?.x).toBeGreaterThan(before + 24)
    await handle.press('End')
    expect(await width()).toBe(Number(await handle.getAttribute('aria-valuemax')))
    await handle.press('Home')
    expect(await width()).toBe(320)
    await drawn.getByRole('link', { name: 'Name ↑' }).click()
    await drawn.getByRole('link', { name: 'Name ↓' }).waitFor()
    expect(await width()).toBe(320)
    await drawn.goto(`${t.url}/?dataset=seoul-landmarks`)
    await drawn.getByText('National Folk Museum of Korea').first().waitFor()
    expect(await handle.count()).toBe(0)
  })

  test.each(['?text=palace&view=table', '?near=37.5796,126.977,1000&view=table'])(
    'axe finds nothing in %s',
    async (address) => {
      await page.goto(`${t.url}/${address}`)
      await page.locator('.table-frame tbody th').first().waitFor()
      // evaluate() is not held to the page's policy, as a script element is.
      await page.evaluate(AXE)
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        'axe.run()',
      )
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    },
  )
})
