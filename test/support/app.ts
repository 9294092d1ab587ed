import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { KeyUsage } from '../../src/auth/key-usage.ts'
import { createKey } from '../../src/auth/keys.ts'
import { type LimitsConfig, readConfig } from '../../src/config/config.ts'
import type { ChangeFeed } from '../../src/database/change-feed.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { createApp } from '../../src/server/app.ts'
import { seedCatalog } from './catalog.ts'
import { createDatabase, duringTests, emptyOnClose, type TestDatabase } from './database.ts'
import { checkDocumented } from './openapi.ts'

/** A running application and its database. */
export interface TestApp extends TestDatabase {
  app: FastifyInstance
  url: string
  /** A key without tiers or grants. It may access public datasets. */
  key: string
  /** The usage of keys. It is written when a test writes it. */
  keyUsage: KeyUsage
  /** Resolves when the application knows of all that was written before: no later request gets what was cached then. */
  hearChanges: () => Promise<void>
  /** Sends a GET with the key, or with the given headers. A REST response must match the OpenAPI document. */
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  /** Sends a GraphQL operation with the key, or with another one. */
  graphql: (query: string, variables?: Record<string, unknown>, key?: string) => Promise<GraphQLAnswer>
}

type AppOptions = Parameters<typeof createApp>[0]

/** The options of `createApp`, of which none is needed. */
export interface StartOptions extends Partial<Omit<AppOptions, 'database' | 'limits'>> {
  /** Another application of the test, or a database. Both have its content. */
  beside?: TestDatabase
  data?: 'small' | 'sample'
  /** Overrides some of the default limits. */
  limits?: Partial<LimitsConfig>
}

export interface GraphQLAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its content
  body: any
}

/** Starts the application on a free port, on a new database with the small catalog or the sample data, or on that of another one. */
export async function startApp(options: StartOptions = {}): Promise<TestApp> {
  const { beside, data = 'small', limits, ...others } = options
  const defaults = readConfig({})
  const db = beside ?? (await createDatabase())
  const { prisma } = db.database
  if (!beside && data === 'small') await seedCatalog(prisma)
  const keyUsage = new KeyUsage(prisma)
  const changeFeed = db.database.followChanges()
  const app = await createApp({
    database: { ...db.database, followChanges: () => changeFeed },
    keyUsage,
    corsOrigins: [],
    responseCacheBytes: defaults.responseCacheBytes,
    ...others,
    limits: { ...defaults.limits, ...limits },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  if (!beside && data === 'sample') await loadSampleData(db.database, url)
  const { key } = await createKey(prisma, { name: 'test' })
  await isComplete(changeFeed)
  return emptyOnClose({
    ...db,
    app,
    url,
    key,
    keyUsage,
    hearChanges: () => changeFeed.announced(),
    get: async (path, headers = { authorization: `Bearer ${key}` }) => {
      const response = await fetch(url + path, { headers })
      await checkDocumented(url + path, response)
      return response
    },
    graphql: async (query, variables, withKey = key) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${withKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      return { status: response.status, body: await response.json() }
    },
    close: async () => {
      await app.close()
      if (!beside) await db.close()
    },
  })
}

/**
 * Waits until a gateway hears of all changes. Before, each of its reads takes a transaction, and what fails there ends the request: a
 * nullable field of GraphQL is not null then.
 */
export async function isComplete(changeFeed: ChangeFeed): Promise<void> {
  // Not `expect.poll`, which fails outside of a test.
  while (changeFeed.latest() === undefined) await sleep(5)
}

/** An application for the tests of a file or of a group. */
export const useApp = (options?: StartOptions): TestApp => duringTests(() => startApp(options))

/** Sends a GET that must succeed. Returns the parsed body. */
export async function getJson({ get }: TestApp, path: string) {
  const response = await get(path)
  expect(response.status).toBe(200)
  return JSON.parse(await response.text())
}
