import { describe, expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { startApp, useApp } from '../support/app.ts'
import { giveKey, hasBrowser, useVisit, WIDE } from '../support/browser.ts'
import { duringTests } from '../support/database.ts'

describe.skipIf(!hasBrowser)('A visitor of a catalog with a public key', () => {
  const t = useApp()
  const open = duringTests(async () =>
    startApp({ beside: t, publicKey: (await createKey(t.database.prisma, { name: 'public' })).key }),
  )
  const visit = useVisit(open, WIDE, { map: false })

  test('sees the public datasets without a key, those of a key after giving it, and the facts of the key', async () => {
    const { page } = visit
    await page.goto(`${open.url}/`)
    await page.locator('#list').getByText('Seoul', { exact: true }).first().waitFor()
    expect(await page.getByLabel('API key', { exact: true }).isVisible()).toBe(true)
    expect(await page.locator('#list').getByText('Restricted', { exact: true }).count()).toBe(0)

    const access = { accessTiers: ['gold'], datasets: ['restricted'], requestsPerMinute: 6_000 }
    const partner = await createKey(t.database.prisma, { name: 'partner of 2026', ...access })
    await giveKey(page, partner.key)
    await page.locator('#list').getByText('Restricted', { exact: true }).first().waitFor()
    await page.getByText('Key in use').click()
    const facts = page.locator('#key-facts dl')
    await facts.waitFor()
    const text = (await facts.textContent()) ?? ''
    for (const fact of ['partner of 2026', 'gold', 'restricted', '6,000']) expect(text).toContain(fact)

    await revokeKey(t.database.prisma, partner.id)
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page.locator('#list').getByText('Seoul', { exact: true }).first().waitFor()
    expect(await page.locator('#list').getByText('Restricted', { exact: true }).count()).toBe(0)
  })
})
