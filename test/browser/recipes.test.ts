import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { hasBrowser, launchBrowser, openPage, WIDE } from '../support/browser.ts'

/*
 * The page of docs/recipes.md on a site of another origin.
 */

const t = useApp({ data: 'sample' })
const [, PAGE = ''] = /```html\n(.*?)```/s.exec(readFileSync('docs/recipes.md', 'utf8')) ?? []

test.skipIf(!hasBrowser)(
  'the list beside the map has the places of its visible part, and a click goes there',
  async () => {
    let key = ''
    const site = createServer(({ url = '' }, response) => {
      const [, name] = /^\/maplibre-gl\/([\w.-]+)/.exec(url) ?? []
      if (name === undefined)
        return response
          .setHeader('content-type', 'text/html')
          .end(PAGE.replace('https://catalog.example', t.url).replace('dck_...', key))
      response.setHeader('content-type', name.endsWith('css') ? 'text/css' : 'text/javascript')
      response.end(readFileSync(`node_modules/maplibre-gl/dist/${name}`))
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    key = (await createKey(t.database.prisma, { name: 'recipe', origins: [origin] })).key
    const browser = await launchBrowser()
    try {
      const { page, errors } = await openPage(browser, origin, WIDE)
      await page.goto(origin)
      const entries = page.locator('ol li')
      await expect.poll(() => page.title()).toBe('28 places')
      expect(await entries.count()).toBe(28)
      await entries.getByText('Lotte World Tower').click()
      await expect.poll(() => entries.allTextContents()).toEqual(['Lotte World Tower'])
      expect(errors).toEqual([])
    } finally {
      await browser.close()
      site.close()
    }
  },
)
