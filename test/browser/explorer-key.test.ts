import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { startApp, useApp } from '../support/app.ts'
import { giveKey, hasBrowser, openPage, useVisit, WIDE } from '../support/browser.ts'

const MALFORMED = 'A key begins with dck_ and has no spaces.'

describe.skipIf(!hasBrowser)('Keys in the explorer', () => {
  const t = useApp({ contact: 'keys@example.org' })
  const visit = useVisit(t, WIDE, { map: false })
  let page: Page
  beforeAll(() => {
    page = visit.page
  })
  beforeEach(async () => {
    // A page that makes no requests.
    await page.goto(`${t.url}/healthz`)
    await page.evaluate('sessionStorage.clear()')
  })

  test('a link without a key says whom to ask for one', async () => {
    await page.goto(`${t.url}/?dataset=restricted`)
    const link = page.getByRole('link', { name: 'keys@example.org' })
    expect(await link.getAttribute('href')).toBe('mailto:keys@example.org')
  })

  test('a contact with a name and an address is shown as the operator wrote it', async () => {
    const contact = 'Data team & friends <keys@example.org>'
    const other = await startApp({ beside: t, contact })
    const reader = await openPage(visit.browser, other.url, WIDE, { map: false })
    await reader.page.goto(other.url)
    await reader.page.getByText(`Ask for one: ${contact}`, { exact: true }).waitFor()
    await reader.page.close()
    await other.close()
  })

  test.each(['/', '/graphql', '/docs'])(
    '%s asks for another key when that of the address cannot be one',
    async (path) => {
      await page.goto(`${t.url}${path}#key=dck_bad%20😀`)
      await page.getByText(MALFORMED).waitFor()
      // Scalar writes the visible section into the fragment.
      expect(page.url().replace(/#description\/\w+$/, '')).toBe(t.url + path)
      await giveKey(page, 'dck_a b')
      await page.getByText(MALFORMED).waitFor()
      await giveKey(page, t.key)
      await page.getByRole('button', { name: 'Forget key' }).waitFor()
      expect(await page.getByText('Failed to execute').count()).toBe(0)
    },
  )

  test('a key that the server cannot check gets the message of the server', async () => {
    await page.route('**/v1/datasets', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'The database is away.' } } }),
    )
    await page.goto(t.url)
    await giveKey(page, t.key)
    await page.getByText('The database is away.').waitFor()
    expect(await page.locator('#key-input').getAttribute('aria-invalid')).toBe('true')
    await page.unroute('**/v1/datasets')
    await giveKey(page, t.key)
    await page.getByRole('button', { name: 'Forget key' }).waitFor()
    // The focus stays in the bar, and not in the hidden form.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Key in use')
  })

  test('a key with origins is called that, and no unknown one', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'site', origins: ['https://site.example'] })
    await t.hearChanges()
    const message = 'This key works only on the pages of its origins. Here, use a key without origins.'
    await page.goto(t.url)
    await giveKey(page, key)
    await page.getByText(message).waitFor()
    await page.goto(`${t.url}/#key=${key}`)
    await page.getByText(`${message} Enter another key. Whom to ask: keys@example.org`).waitFor()
  })
})
