import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { deploymentFile } from '../support/balancers.ts'
import { hasBrowser, openBrowser, sendFromReference, type Visit, WIDE } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { environment, killProcesses, startProcess } from '../support/process.ts'

/** The file of docs/deployment/ for a gateway below a path, as its comment says, without TLS. */
function nginxFile(folder: string, port: number, gateway: string): string {
  const text = deploymentFile('nginx.conf')
  const [, location = '', pass = ''] = /`(location .*?)` and `(proxy_pass .*?)`/.exec(text) ?? []
  return text
    .replace('location / {', location)
    .replace('proxy_pass http://gateways;', pass)
    .replace('10.0.0.6:443 ssl http2', `127.0.0.1:${port}`)
    .replace('10.0.0.31:4000', new URL(gateway).host)
    .replace(/ssl_.*;|server 10.*;/g, '')
    .replace('/run/nginx.pid', join(folder, 'nginx.pid'))
    .replaceAll('$host', '$http_host')
}

describe.runIf(hasBrowser && (existsSync('/usr/sbin/nginx') || process.env.CI))('Below a path of nginx', () => {
  let folder: string
  let t: TestApp
  let url: string
  let visit: Visit
  let page: Page
  const failed: string[] = []

  beforeAll(async () => {
    t = await startApp({ data: 'sample', basePath: '/geo', limits: { trustedProxies: ['127.0.0.1'] } })
    folder = await mkdtemp(join(tmpdir(), 'catalog-base-path-'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}/geo`
    const file = join(folder, 'nginx.conf')
    await writeFile(file, nginxFile(folder, port, t.url))
    const args = ['-c', file, '-e', 'stderr', '-g', 'daemon off; master_process off;']
    startProcess('/usr/sbin/nginx', args, { stdio: 'ignore', env: environment({}) })
    await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), 60_000)
    visit = await openBrowser(new URL(url).origin, WIDE, { locale: 'ko-KR', map: false })
    page = visit.page
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
    })
  })
  afterAll(async () => {
    await visit.browser.close()
    killProcesses()
    await t.close()
    await rm(folder, { recursive: true })
  })

  test('the explorer shows places and pictures, and keeps the path in its addresses', async () => {
    await page.goto(url)
    await page.getByText(`${url}/v1/datasets`).waitFor({ state: 'attached' })
    await page.getByLabel('API 키', { exact: true }).fill(t.key)
    await page.getByRole('button', { name: '키 사용' }).click()
    await page.locator('.side').getByRole('link', { name: 'Seoul Landmarks', exact: true }).click()
    await page.locator('.places a').first().waitFor()
    expect(page.url()).toMatch(`${url}/?dataset=seoul-landmarks`)
    await page.locator('.places').getByRole('link', { name: 'Changdeokgung Palace', exact: true }).click()
    const picture = page.locator('figure img').first()
    await picture.waitFor()
    expect(await picture.getAttribute('src')).toMatch(`${url}/sample/`)
    await page.goBack()
    await page.locator('.places a').first().waitFor()
    await page.getByRole('link', { name: 'Dataset Catalog' }).click()
    await page.locator('.card').first().waitFor()
    expect(page.url().split('?')[0]).toBe(`${url}/`)
  })
  test('GraphiQL runs an operation', async () => {
    await page.getByRole('link', { name: 'GraphiQL' }).click()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.graphiql-response').getByText('"Seoul Landmarks"').first().waitFor()
    expect(page.url().split('?')[0]).toBe(`${url}/graphql`)
  })

  test('the reference sends a request', async () => {
    await page.getByRole('link', { name: 'API reference' }).click()
    await sendFromReference(page)
  })

  test('a person follows the links of /ogc', async () => {
    await page.goto(`${url}/ogc`)
    await page.getByRole('link', { name: 'The collections' }).click()
    await page.getByRole('link', { name: 'Seoul Landmarks', exact: true }).click()
    await page.locator('.ogc-map circle').first().waitFor()
    expect(page.url()).toBe(`${url}/ogc/collections/seoul-landmarks`)
    await page.locator('.ogc-map').click()
    await page.locator('.places a').first().waitFor()
  })

  test('no request failed or left the path', () => {
    expect([failed, visit.errors, visit.foreign]).toEqual([[], [], []])
  })
})
