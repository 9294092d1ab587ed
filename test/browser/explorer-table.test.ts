import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { hasBrowser, useVisit, WIDE } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('The table of the explorer', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })
  let page: Page
  beforeAll(() => {
    page = visit.page
  })

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })

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
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=table`)
    const handle = page.getByRole('separator', { name: 'Width of the panel' })
    const width = async () => Math.round((await page.locator('#side').boundingBox())?.width ?? 0)
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
    await page.mouse.move(box.x + 2, box.y + 200)
    await page.mouse.down()
    await page.mouse.move(box.x + 42, box.y + 200)
    await page.mouse.up()
    expect(await width()).toBe(before + 24)
    // The map takes the rest of the page.
    const map = await page.locator('.map-area').boundingBox()
    expect(map?.x).toBeGreaterThan(before + 24)
    await handle.press('End')
    expect(await width()).toBe(Number(await handle.getAttribute('aria-valuemax')))
    await handle.press('Home')
    expect(await width()).toBe(320)
    await page.getByRole('link', { name: 'Name ↑' }).click()
    await page.getByRole('link', { name: 'Name ↓' }).waitFor()
    expect(await width()).toBe(320)
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await page.getByText('National Folk Museum of Korea').first().waitFor()
    expect(await handle.count()).toBe(0)
  })
})
