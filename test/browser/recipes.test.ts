import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createVite } from 'vite'
import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { hasBrowser, launchBrowser, openPage, WIDE } from '../support/browser.ts'
import { useFolder } from '../support/folder.ts'
import { CHECKOUT } from '../support/process.ts'

/*
 * The page and the component of docs/recipes.md on a site of another origin.
 */

const t = useApp({ data: 'sample' })
const inFolder = useFolder()
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

const [, COMPONENT = ''] = /```jsx\n(.*?)```/s.exec(readFileSync('docs/recipes.md', 'utf8')) ?? []
const [, VITE = ''] = /```js\nexport default (.*?)\n```/s.exec(readFileSync('docs/recipes.md', 'utf8')) ?? []

/** `npm run client` installs it. */
const PACKAGES = `${CHECKOUT}test/clients/codegen/node_modules/`
const hasReact = process.env.CI !== undefined || existsSync(`${PACKAGES}react`)

test.skipIf(!hasBrowser || !hasReact)(
  'the React component under Vite has a map and its list, and a key without the origin says that it failed',
  async () => {
    await mkdir(inFolder('node_modules'))
    for (const name of ['react', 'react-dom', 'scheduler'])
      await symlink(PACKAGES + name, inFolder(`node_modules/${name}`))
    await symlink(`${CHECKOUT}node_modules/maplibre-gl`, inFolder('node_modules/maplibre-gl'))
    const main = `import { createRoot } from 'react-dom/client'
import { Places } from './Places.jsx'
createRoot(document.body).render(<Places dataset="seoul-landmarks" center={[127, 37.55]} zoom={10} />)`
    await writeFile(inFolder('main.jsx'), main)
    await writeFile(
      inFolder('index.html'),
      '<!doctype html><link rel="icon" href="data:,"><body></body><script type="module" src="/main.jsx"></script>',
    )
    await writeFile(inFolder('vite.config.js'), `export default ${VITE}`)
    const vite = await createVite({
      root: inFolder(),
      logLevel: 'silent',
      server: { port: 0, host: '127.0.0.1', fs: { strict: false }, hmr: false },
    })
    const browser = await launchBrowser()
    try {
      await vite.listen()
      const { origin } = new URL(vite.resolvedUrls?.local[0] ?? '')
      const open = async (origins: string[]) => {
        const { key } = await createKey(t.database.prisma, { name: `react ${origins}`, origins })
        const component = COMPONENT.replace('https://catalog.example', t.url).replace('dck_...', key)
        await writeFile(inFolder('Places.jsx'), component)
        vite.moduleGraph.invalidateAll()
        const { page, errors } = await openPage(browser, origin, WIDE)
        await page.goto(origin)
        return { page, errors }
      }
      const { page, errors } = await open([origin])
      await expect.poll(() => page.locator('p').textContent()).toBe('27 places')
      await page.locator('li').getByText('Lotte World Tower').click()
      await expect.poll(() => page.locator('li').allTextContents()).toEqual(['Lotte World Tower'])
      expect(errors).toEqual([])
      const refused = await open([])
      await expect.poll(() => refused.page.locator('p').textContent()).toBe('Failed to fetch')
    } finally {
      await browser.close()
      await vite.close()
    }
  },
)
