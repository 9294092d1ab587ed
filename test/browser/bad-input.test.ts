import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { hasBrowser, PHONE, useVisit } from '../support/browser.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

const MARKUP = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>"><b>bold`
const REVERSED = 'safe\u202egnp.exe\u202c'
const LONG = 'Earth'.repeat(100)
const ARABIC = 'متحف الفن الإسلامي'
const KOREAN = '국립중앙박물관'

/** A number with more digits than a JavaScript number has. */
const LONG_NUMBER = '1111010100100000001'

const ITEMS = [
  row({
    externalId: 'markup',
    name: MARKUP,
    description: MARKUP,
    categoryCode: MARKUP,
    streetAddress: MARKUP,
    url: 'javascript:globalThis.hacked=1',
    extraAttributes: { [MARKUP]: MARKUP, __proto__x: 1, nested: { a: [MARKUP] }, none: [] },
    images: [
      { originalUrl: 'javascript:globalThis.hacked=1', altText: MARKUP },
      { originalUrl: '/sample/none.svg', altText: 'gone' },
      { originalUrl: 'https://pictures.example.org/a.png', altText: 'elsewhere' },
    ],
  }),
  row({ externalId: 'child', name: 'Child', parentExternalId: 'markup' }),
  row({ externalId: 'reversed', name: REVERSED }),
  row({ externalId: 'long', name: LONG }),
  row({ externalId: 'arabic', name: ARABIC, description: ARABIC }),
  row({ externalId: 'korean', name: KOREAN }),
]

describe.skipIf(!hasBrowser)('The explorer with bad input', () => {
  const t = useApp()
  const visit = useVisit(t, PHONE, { map: false, hasKey: true })
  let page: Page
  beforeAll(async () => {
    page = visit.page
    const importer = await createImporter(t.database)
    const dataset = { name: `Odd ${MARKUP}`, description: `${MARKUP} ${REVERSED}`, attribution: `Credit ${MARKUP}` }
    const numbers = row({
      externalId: 'numbers',
      name: 'Numbers',
      extraAttributes: { code: 1, list: [1, { code: 1 }] },
    })
    const items = ndjson(...ITEMS, numbers).replaceAll('"code":1', `"code":${LONG_NUMBER}`)
    await importer.run({ 'items.ndjson': items }, { dataset })
    await importer.close()
    await t.hearChanges()
    page.on('dialog', (dialog) => {
      visit.errors.push(`A dialog opened: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.goto(`${t.url}/?dataset=places`)
    await page.getByText('7 places, by name').waitFor()
  })
  const open = async (name: string) => {
    await page.goto(`${t.url}/?dataset=places`)
    await page.locator('.places').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
  }

  test('markup in a dataset is shown as text', async () => {
    expect(await page.locator('.side h1').textContent()).toBe(`Odd ${MARKUP}`)
    expect(await page.locator('#credit').textContent()).toContain(`Credit ${MARKUP}`)
  })

  test('markup in an item is shown as text, and no link executes it', async () => {
    await page.locator('.places a').first().click()
    await page.locator('.members').first().waitFor()
    expect(await page.locator('.side h1').textContent()).toBe(MARKUP)
    await page.getByText('The picture has no valid address.').waitFor()
    await page.getByText('The picture can’t be loaded.').waitFor()
    await page.getByRole('button', { name: 'Load picture from pictures.example.org' }).waitFor()
    const links = await page.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
    expect(links.filter((link) => !/^(\.\/|\?|https?:|#list$)/.test(link))).toEqual([])
    await page.getByText('For developers').click()
  })

  test.each([
    ['reversed text', REVERSED],
    ['Arabic', ARABIC],
    ['Korean', KOREAN],
    ['a name of 500 characters', LONG],
  ])('%s is shown and fits the width', async (_what, name) => {
    await open(name)
    expect(await page.locator('.side h1').evaluate((h1) => getComputedStyle(h1).unicodeBidi)).toMatch(
      /isolate|plaintext/,
    )
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('a long number is shown with all of its digits', async () => {
    await open('Numbers')
    const attributes = page.locator('.attributes')
    await attributes.getByText(LONG_NUMBER, { exact: true }).waitFor()
    await attributes.getByText(`1, { "code": ${LONG_NUMBER} }`).waitFor()
    await page.getByText('For developers').click()
    await page.getByText('All members as JSON').click()
    await page.locator('.folded pre').getByText(`"code": ${LONG_NUMBER}`).waitFor()
  })

  test.each(['dataset=none', 'item=none', 'dataset=paid', 'item=../../x', 'dataset=%3Cscript%3E'])(
    'a link to what the key may not see, or is not there, says so: %s',
    async (query) => {
      await page.goto(`${t.url}/?${query}`)
      await page.getByRole('alert').waitFor()
    },
  )

  test('no markup is executed', async () => {
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
  })
})
