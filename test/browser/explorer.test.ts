import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { clickCopy, giveKey, hasBrowser, openControl, useVisit, WIDE } from '../support/browser.ts'
import { runShell } from '../support/process.ts'

describe.skipIf(!hasBrowser)('The explorer in a browser', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { map: false })
  let page: Page
  beforeAll(async () => {
    page = visit.page
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
  const link = (name: string) => page.locator('.side').getByRole('link', { name, exact: true })
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  test('opens without a key, and shows a command with the current address', async () => {
    await page.goto(t.url)
    await heading('Enter your API key to see places').waitFor()
    await page.getByText('Other ways to read the data').click()
    await page.getByText(`${t.url}/v1/datasets`).waitFor()
    await page.getByText('This browser can’t draw the map').waitFor()
  })

  test('without a key, says that a link shows places and whom to ask, and folds the commands of the operator', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks`)
    await heading('This link shows places').waitFor()
    await page.getByText('Ask the person who sent you the link').waitFor()
    const command = page.getByText('npx dataset-catalog keys create --name NAME --dataset seoul-landmarks')
    expect(await command.isVisible()).toBe(false)
    await page.getByText('I operate this server').click()
    await command.waitFor()
    await page.goto(t.url)
  })

  test('shows the datasets that the key may access, with their totals, credit lines and places', async () => {
    await giveKey(page, t.key)
    await page.getByText('2 datasets, 44 places').waitFor()
    await link('Seoul Landmarks').waitFor()
    await page.getByText('27 places').first().waitFor()
    expect(await page.locator('.card').count()).toBe(2)
    await page.locator('.small-map circle').first().waitFor()
    expect(await page.locator('#credit').textContent()).toContain('OurAirports (public domain)')
  })

  test('chooses a dataset, lists its places, and shows its credit line all the time', async () => {
    await link('Seoul Landmarks').click()
    await heading('Seoul Landmarks').waitFor()
    await link('Gyeongbokgung Palace').waitFor()
    expect(await page.locator('#credit').isVisible()).toBe(true)
  })

  test('downloads a dataset in each format, and says when that fails', async () => {
    await openControl(page, 'Download')
    for (const [format, name] of [
      ['NDJSON', 'seoul-landmarks.ndjson'],
      ['CSV', 'seoul-landmarks.csv'],
      ['GeoJSON', 'seoul-landmarks.geojson'],
      ['GeoParquet', 'seoul-landmarks.parquet'],
    ] as const) {
      const started = page.waitForEvent('download')
      await page.getByRole('button', { name: new RegExp(`^${format}( |$)`) }).click()
      const download = await started
      expect(download.suggestedFilename()).toBe(name)
      const headers = { authorization: `Bearer ${t.key}` }
      const expected = await (await fetch(`${t.url}/exports/${name}`, { headers })).arrayBuffer()
      expect(readFileSync(await download.path()).equals(Buffer.from(expected))).toBe(true)
      await page.getByText(`Downloaded ${name}.`).waitFor()
    }
    await page.route('**/exports/**', (route) => route.abort())
    await page.getByRole('button', { name: /^CSV/ }).click()
    await page.getByText('seoul-landmarks.csv is not complete: The server does not answer. Is it running?').waitFor()
    await page.unroute('**/exports/**')
  })

  test('shows an item with all members, pictures, parent and children', async () => {
    await link('Gyeongbokgung Palace').click()
    await heading('Gyeongbokgung Palace').waitFor()
    await page.getByText('서울특별시 종로구 사직로 161').waitFor()
    await page.getByText('designation').waitFor()
    const images = page.locator('.pictures img')
    expect(await images.count()).toBe(3)
    await expect
      .poll(() => images.first().evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
      .toBeGreaterThan(0)
    const [picture, original] = await Promise.all([
      images.first().getAttribute('src'),
      page.locator('.frame a').first().getAttribute('href'),
    ])
    expect([picture, original]).toEqual([expect.stringContaining('/sample/'), expect.stringContaining('/sample/')])
    await link('Gwanghwamun').click()
    await heading('Gwanghwamun').waitFor()
    await page.getByText('Part of').waitFor()
    await link('Gyeongbokgung Palace').click()
    await heading('Gyeongbokgung Palace').waitFor()
  })

  test('an item shows what people ask for first, and folds empty members and JSON away', async () => {
    const labels = await page.locator('.members dt').allTextContents()
    expect(labels).toEqual([
      'Category',
      'Area',
      'Also known as',
      'Address',
      'Lot address',
      'Opening hours',
      'Telephone',
      'Website',
      'Contact',
      'Coordinates',
      'Last changed',
    ])
    await page.locator('.members').getByText('경복궁').waitFor()
    expect(await page.title()).toBe('Gyeongbokgung Palace · Seoul Landmarks')
    const json = page.getByText('"roadAddress"')
    expect(await json.count()).toBe(0)
    await page.getByText('For developers').click()
    await page.getByText('All members as JSON').click()
    await json.waitFor()
    await page.getByText(/\d+ empty members?/).click()
    await page.locator('.folded').getByText('email').first().waitFor()
  })

  test('the copied request gives the same item', async () => {
    expect(await page.locator('.request > pre').textContent()).not.toContain(t.key)
    await clickCopy(page.locator('.request').getByRole('button', { name: 'Copy' }))
    const { stdout } = await runShell({}, await copied())
    expect(JSON.parse(stdout).data).toMatchObject({ name: 'Gyeongbokgung Palace', categoryCode: 'palace' })
  })

  test('the copied request in JavaScript and GraphQL gives the same item', async () => {
    const choose = async (form: string) => {
      await page.locator('.request').getByRole('button', { name: form, exact: true }).click()
      await clickCopy(page.locator('.request .primary'))
      return copied()
    }
    const script = await choose('JavaScript')
    const { stdout } = await runShell({}, `node --input-type=module <<'END'\n${script}\nEND`)
    expect(stdout).toContain("name: 'Gyeongbokgung Palace'")
    const { body } = await t.graphql(await choose('GraphQL'))
    expect(body.data.item.name).toBe('Gyeongbokgung Palace')
  })

  test('the request opens in GraphiQL and runs there with the same key', async () => {
    await page.getByRole('link', { name: 'Open in GraphiQL' }).click()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.graphiql-response').getByText('"Gyeongbokgung Palace"').first().waitFor()
    await page.goBack()
    await heading('Gyeongbokgung Palace').waitFor()
  })

  test('a reload shows the same view, and the back button the one before', async () => {
    expect(page.url()).not.toContain('dck_')
    await page.reload()
    await heading('Gyeongbokgung Palace').waitFor()
    await page.goBack()
    await heading('Gwanghwamun').waitFor()
    await page.goto(`${t.url}/?dataset=seoul-landmarks&category=palace`)
    await page.getByText('4 places with these filters').waitFor()
    await openControl(page, 'Filters')
    const category = page.getByRole('combobox', { name: 'Category', exact: true })
    expect(await category.inputValue()).toBe('Palace')
    await category.click()
    await page.getByRole('listbox').getByRole('option').filter({ hasText: 'Palace4' }).waitFor()
    expect(await page.getByRole('listbox').getByRole('option').first().textContent()).toBe('any')
  })

  test('searches around a point, with the distances in order', async () => {
    await page.goto(`${t.url}/?dataset=seoul-landmarks&near=37.5796,126.977,2000`)
    await page.getByText('within 2 km, nearest first').waitFor()
    const distances = await page.locator('.places li > span').allTextContents()
    const metres = distances.map((text) => Number.parseFloat(text) * (text.includes(' km') ? 1000 : 1))
    expect(metres.length).toBeGreaterThan(5)
    expect(metres).toEqual([...metres].sort((left, right) => left - right))
    await page.getByLabel('Radius in metres').fill('500')
    await page.keyboard.press('Tab')
    await page.getByText('within 500 m, nearest first').waitFor()
  })

  test('a revoked key is reported, and the page asks for another', async () => {
    // This page makes no requests. The explorer would make some with the refused key, and forget it, before it is opened again.
    await page.goto(`${t.url}/healthz`)
    await page.evaluate('sessionStorage.setItem("dataset-catalog.key", "dck_gone")')
    await page.goto(t.url)
    await page.getByText('This key is unknown, expired or revoked. Enter another key.').waitFor()
    await giveKey(page, t.key)
    await page.getByText('2 datasets, 44 places').waitFor()
  })

  test('shows the labels of codes in the filters and the list', async () => {
    const { id: datasetId } = await t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'seoul-landmarks' } })
    const label = { datasetId, field: 'categoryCode', code: 'palace' }
    const where = { datasetId_field_code: label }
    await t.database.prisma.codeLabel.update({ where, data: { label: 'Royal palace' } })
    const shown = async () => {
      await page.goto(`${t.url}/?dataset=seoul-landmarks`)
      await openControl(page, 'Filters')
      await page.getByRole('combobox', { name: 'Category', exact: true }).click()
      return page.getByRole('listbox').getByRole('option').allTextContents()
    }
    await expect.poll(shown).toContain('Royal palace4')
    await page.locator('.places').getByText('Royal palace', { exact: true }).first().waitFor()
    await link('Gyeongbokgung Palace').click()
    await page.locator('.members').getByRole('link', { name: 'Royal palace', exact: true }).click()
    await page.getByText('4 places with these filters').waitFor()
    // A search in all datasets, as a list and as a table, its suggestions, and the page of the dataset.
    await page.goto(`${t.url}/?text=gyeongbokgung`)
    await page.locator('.places').getByText('Royal palace', { exact: true }).first().waitFor()
    await page.goto(`${t.url}/?text=gyeongbokgung&view=table`)
    await page.locator('.table-frame').getByText('Royal palace', { exact: true }).first().waitFor()
    await page.getByRole('combobox', { name: 'Search by name or keyword' }).fill('gyeonbok')
    await page.getByRole('listbox').getByText('Royal palace · Jongno-gu', { exact: true }).first().waitFor()
    await page.goto(`${t.url}/?dataset=seoul-landmarks&view=about`)
    await page.locator('.places').getByText('Royal palace', { exact: true }).first().waitFor()
    await page.goto(t.url)
  })

  test('while the server can’t be reached, the page keeps what it shows, says so in a line, and tries again', async () => {
    await page.getByText('2 datasets, 44 places').waitFor()
    await page.route('**/graphql', (route) => route.abort())
    await link('Seoul Landmarks').click()
    const line = page.locator('#connection')
    await line.getByText('No connection to the server. Trying again …').waitFor()
    await heading('Datasets').waitFor()
    await page.unroute('**/graphql')
    await heading('Seoul Landmarks').waitFor()
    await expect.poll(() => line.textContent()).toBe('')
    expect(await page.title()).toBe('Seoul Landmarks · Dataset Catalog')
  })

  test('the panel has grey lines while the first answer is awaited, and an error that stays is a box with a way out', async () => {
    const answers = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      await answers.promise
      await route.continue()
    })
    await page.goto(`${t.url}/?dataset=none`)
    await page.locator('.skeleton-line').first().waitFor()
    answers.resolve()
    await page.getByRole('alert').getByRole('link', { name: 'All datasets' }).click()
    await page.getByText('2 datasets, 44 places').waitFor()
    await page.unroute('**/graphql')
  })

  test('the page links to GraphiQL, the reference, the OpenAPI document and health, and each exists', async () => {
    await page.getByRole('button', { name: 'Forget key' }).click()
    await heading('Enter your API key to see places').waitFor()
    const links = await page.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
    const addresses = new Set(links.map((each) => new URL(each, t.url).pathname))
    expect(addresses).toEqual(new Set(['/', '/graphql', '/docs', '/openapi.json', '/readyz']))
    for (const each of addresses) {
      expect((await fetch(t.url + each, { headers: { accept: 'text/html' } })).status).toBe(200)
    }
  })
})
