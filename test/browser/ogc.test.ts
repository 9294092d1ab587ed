import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { giveKey, hasBrowser, LARGE, useVisit } from '../support/browser.ts'
import { DATASET, ITEM } from '../support/catalog.ts'

describe.skipIf(!hasBrowser)('A person who opens /ogc', () => {
  const t = useApp()
  const visit = useVisit(t, LARGE)

  test('gives a key, and follows links to a collection with its map, to its items, and to an item', async () => {
    const { page } = visit
    await page.goto(`${t.url}/ogc`)
    await page.getByRole('alert').waitFor()
    await giveKey(page, t.key)
    await page.getByRole('link', { name: 'The collections' }).click()
    await page.getByRole('link', { name: 'Seoul', exact: true }).click()
    await page.locator('.ogc-map circle').first().waitFor()
    await page.goto(`${t.url}/ogc/collections/${DATASET.seoul}/items`)
    await page.getByRole('link', { name: 'Gyeongbokgung', exact: true }).click()
    await page.getByRole('heading', { name: 'Gyeongbokgung' }).waitFor()
    expect(page.url()).toBe(`${t.url}/ogc/collections/${DATASET.seoul}/items/${ITEM.palace}`)
    await page.goto(`${t.url}/ogc/conformance?f=html`)
    await page.getByText('ogcapi-features-1/1.0/conf/core').waitFor()
    await page.goto(`${t.url}/ogc/api?f=html`)
    await page.getByText('/collections/{collectionId}/items', { exact: true }).waitFor()
  })

  test('follows a link to another server there, and opens a page of items by its address', async () => {
    const { page } = visit
    await t.database.prisma.dataset.update({ where: { id: DATASET.seoul }, data: { license: 'CC0-1.0' } })
    await page.goto(`${t.url}/ogc/collections/${DATASET.seoul}`)
    await expect
      .poll(() => page.locator('#ogc a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))))
      .toEqual(expect.arrayContaining(['https://spdx.org/licenses/CC0-1.0.html', '/ogc/collections/seoul/items']))
    await page.goto(`${t.url}/ogc/collections/${DATASET.seoul}/items?f=html&limit=1`)
    await page.getByText('9 items', { exact: true }).waitFor()
    expect(await page.locator('#ogc ul').nth(1).getByRole('listitem').count()).toBe(1)
  })
})
