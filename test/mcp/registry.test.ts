import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { VERSION } from '../../src/config/version.ts'
import { CHECKOUT } from '../support/process.ts'

const variables = z.record(z.string(), z.object({ description: z.string() }))

/** What the test reads of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, and its longest texts. */
const serverFile = z.object({
  title: z.string().max(100),
  description: z.string().max(100),
  version: z.string(),
  remotes: z.array(
    z.object({ url: z.string(), variables, headers: z.array(z.object({ value: z.string(), variables })) }),
  ),
})

test('server.json is what the registry of MCP servers takes, and names this version', () => {
  const { version, remotes } = serverFile.parse(JSON.parse(readFileSync(join(CHECKOUT, 'server.json'), 'utf8')))
  expect(version).toBe(VERSION)
  const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  for (const { url, variables: ofUrl, headers } of remotes) {
    expect(namesIn(url)).toEqual(Object.keys(ofUrl))
    expect(new URL(url.replace('{host}', 'catalog.example.org')).pathname).toBe('/mcp')
    for (const header of headers) expect(namesIn(header.value)).toEqual(Object.keys(header.variables))
  }
})
