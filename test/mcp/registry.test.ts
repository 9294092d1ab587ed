import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { VERSION } from '../../src/config/version.ts'
import { CHECKOUT } from '../support/process.ts'

const variables = z.record(z.string(), z.object({ description: z.string(), isRequired: z.literal(true) }))

/** The rules that https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json has for these members. */
const serverFile = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .min(3)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^(https?:\/\/[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$/),
      variables,
      headers: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          value: z.string(),
          isRequired: z.boolean(),
          variables,
        }),
      ),
    }),
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
