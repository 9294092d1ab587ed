import type { Page, Request } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { giveKey, hasBrowser, useVisit, WIDE } from '../support/browser.ts'

const NAME = 'Restricted place'
const REFUSED = 'This key is unknown, expired or revoked.'
/** A part of the map with the only item of the dataset `restricted`. */
const PLACE = 'at=37.5797,126.977,17'

describe.skipIf(!hasBrowser)('The map, when the key changes,', () => {
  const t = useApp({ contact: 'keys@example.org' })
  // In a wide window a message about the key makes the map smaller.
  const visit = useVisit(t, WIDE, { reducedMotion: 'no-preference' })
  let page: Page
  let grantedKey: string
  beforeAll(async () => {
    page = visit.page
    grantedKey = (await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })).key
  })
  beforeEach(async () => {
    // A page that makes no requests.
    await page.goto(`${t.url}/healthz`)
    await page.evaluate('sessionStorage.clear()')
  })

  const place = () => page.locator('.side').getByText(NAME, { exact: true })
  const address = () => page.url()
  /** Whether the map shows a place in its centre: the mouse pointer there is a hand. */
  const isPlaceOnMap = async () => {
    const canvas = page.locator('.maplibregl-canvas')
    const { x, y, width, height } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(x + 20, y + 20)
    await page.mouse.move(x + width / 2, y + height / 2)
    return (await canvas.getAttribute('style'))?.includes('pointer') ?? false
  }
  const giveMistypedKey = async () => {
    await giveKey(page, 'dck_mistyped')
    await page.getByText(REFUSED).waitFor()
    const heights = '["canvas", "#map"].map((each) => document.querySelector(each).clientHeight)'
    await expect.poll(async () => new Set(await page.evaluate<number[]>(heights)).size).toBe(1)
  }

  test('without a key the button that shows all places asks the server nothing, and says nothing of a refused key', async () => {
    const asked: string[] = []
    const listener = (request: Request) => void asked.push(new URL(request.url()).pathname)
    page.on('request', listener)
    await page.goto(`${t.url}/?dataset=restricted`)
    await page.getByRole('link', { name: 'keys@example.org' }).waitFor()
    await page.getByRole('button', { name: 'Show all places of this view' }).click()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
    expect(asked).not.toContain('/graphql')
    expect(await page.getByText(REFUSED).count()).toBe(0)
    page.off('request', listener)
  })

  test.each(['dataset=restricted', 'dataset=restricted&category=palace'])(
    'after "Forget key" nothing shows what the key has read, and the next key does not see it: %s',
    async (query) => {
      await page.goto(`${t.url}/?${query}&${PLACE}`)
      await giveKey(page, grantedKey)
      await place().waitFor()
      await expect.poll(isPlaceOnMap).toBe(true)
      await page.getByRole('button', { name: 'Forget key' }).click()
      await page.getByRole('heading', { name: 'This link shows places' }).waitFor()
      await expect.poll(isPlaceOnMap).toBe(false)
      // Not even where a person can't see it.
      expect(await page.content()).not.toContain('>Restricted<')
      expect(await page.content()).not.toContain(NAME)
      await giveKey(page, t.key)
      await page.getByRole('alert').waitFor()
      expect(await isPlaceOnMap()).toBe(false)
      expect(await page.getByText(NAME).count()).toBe(0)
    },
  )

  test('a key in the address replaces the key of the tab, and the map drops the places of that one', async () => {
    await page.goto(`${t.url}/?dataset=restricted&${PLACE}#key=${grantedKey}`)
    await place().waitFor()
    await expect.poll(isPlaceOnMap).toBe(true)
    await page.evaluate((key) => {
      location.hash = `key=${key}`
    }, t.key)
    await page.getByRole('alert').waitFor()
    expect(address()).not.toContain('key')
    await expect.poll(isPlaceOnMap).toBe(false)
    // The list says why.
    expect(await page.getByText('The map is not complete').count()).toBe(0)
  })

  test('the map moves to the dataset also when the first key was mistyped', async () => {
    await page.goto(`${t.url}/?dataset=restricted`)
    await giveMistypedKey()
    await giveKey(page, grantedKey)
    await expect.poll(address).toMatch(/at=37\.579\d*,126\.97\d*,13/)
    await expect.poll(isPlaceOnMap).toBe(true)
  })

  test('a link to a part of the map shows it before and after the key is given', async () => {
    await page.goto(`${t.url}/?dataset=restricted&${PLACE}`)
    await giveMistypedKey()
    expect(address()).toContain(PLACE)
    await giveKey(page, grantedKey)
    await expect.poll(isPlaceOnMap).toBe(true)
    expect(address()).toContain(PLACE)
  })

  test('a link to a search in a box keeps its box when the key is given', async () => {
    await page.goto(`${t.url}/?within=126.97,37.57,126.98,37.59`)
    await giveMistypedKey()
    await giveKey(page, grantedKey)
    await place().waitFor()
    await expect.poll(address).toMatch(/within=126\.9\d*,37\.5\d*,126\.9\d*,37\.5\d*&at=/)
  })
})
