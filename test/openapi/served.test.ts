import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../support/app.ts'
import { openSocket, readAll } from '../support/raw.ts'

/*
 * A served OpenAPI document names the address that the client asked, so that tools can send requests to it.
 */

const COMMITTED = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))

/** Sends a request with these header lines, and returns the URL of the server in the document. */
async function serverUrl(app: TestApp, lines: readonly string[], version = '1.1'): Promise<unknown> {
  const socket = await openSocket(app.url)
  const head = [`GET /v1/openapi.json HTTP/${version}`, ...lines, 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [, body = ''] = (await readAll(socket)).split('\r\n\r\n')
  const { servers, ...rest } = JSON.parse(body)
  const { servers: _servers, ...committed } = COMMITTED
  expect(rest).toEqual(committed)
  return servers[0].url
}

describe('Without a trusted proxy', () => {
  const t = useApp()

  test.each<[string, string[], string, string?]>([
    ['Host', ['Host: catalog.example.org'], 'http://catalog.example.org'],
    ['Host with a port', ['Host: [::1]:4000'], 'http://[::1]:4000'],
    ['Host, not X-Forwarded', ['Host: a.org', 'X-Forwarded-Host: b.org', 'X-Forwarded-Proto: https'], 'http://a.org'],
    ['no Host, as HTTP/1.0 allows', [], '/', '1.0'],
    ['a Host that is not in a URL', ['Host: a.org:99999'], '/'],
  ])('the address is that of %s', async (_what, lines, url, version) => {
    expect(await serverUrl(t, lines, version)).toBe(url)
  })

  test('many addresses are answered, each with its own', async () => {
    for (let n = 0; n < 30; n += 1) expect(await serverUrl(t, [`Host: h${n}.org`])).toBe(`http://h${n}.org`)
  })

  test('the first answer for an address is not compressed, because it may be the only one; the next ones are', async () => {
    const lines = ['Host: twice.org', 'Accept-Encoding: gzip', 'Connection: close']
    const ask = async () => {
      const socket = await openSocket(t.url)
      socket.write(`${['GET /v1/openapi.json HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`)
      return /^content-encoding: (.*)\r$/m.exec(await readAll(socket))?.[1]
    }
    expect([await ask(), await ask(), await ask()]).toEqual([undefined, 'gzip', 'gzip'])
  })
})

describe('Behind a trusted proxy', () => {
  const t = useApp({ limits: { trustedProxies: ['127.0.0.1'] } })

  test.each([
    [['X-Forwarded-Host: api.org', 'X-Forwarded-Proto: https'], 'https://api.org'],
    [['X-Forwarded-Proto: https'], 'https://inside'],
    [[], 'http://inside'],
    [['X-Forwarded-Proto: javascript'], '/'],
    [['X-Forwarded-Host: api.org/path'], '/'],
    [['X-Forwarded-Host: user@api.org'], '/'],
    [['X-Forwarded-Host: '], 'http://inside'],
  ])('%j gives the address %s', async (lines, url) => {
    expect(await serverUrl(t, ['Host: inside', ...lines])).toBe(url)
  })
})
