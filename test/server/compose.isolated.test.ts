import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../src/config/config.ts'
import { freePort } from '../support/free-port.ts'
import { environment, type Gateway, runCatalog, runProcess, startGateway, startProcess } from '../support/process.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

/*
 * What compose.yaml sets up, as far as that goes without containers: its two gateways with their environment, its balancer with its
 * configuration, over a PostgreSQL and a Redis that are there.
 */

const service = z.object({
  image: z.string(),
  networks: z.object({ default: z.object({ ipv4_address: z.string() }) }).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), z.unknown()).optional(),
})
const config = z.object({ content: z.string() })
const COMPOSE = z
  .object({
    services: z.record(z.string(), service),
    configs: z.object({ haproxy: config, role: config }),
  })
  .parse(load(readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8')))

const GATEWAYS = ['gateway-1', 'gateway-2'] as const

test('the gateways of compose.yaml have the same settings, and all of these are known settings', () => {
  const { services } = COMPOSE
  expect(Object.keys(services).sort()).toEqual(['balancer', 'database', ...GATEWAYS, 'grafana', 'prometheus', 'valkey'])
  expect(services['gateway-1']).toEqual(services['gateway-2'])
  const settings = services['gateway-1']?.environment ?? {}
  const user = /^postgresql:\/\/(\w+):/.exec(settings.DATABASE_URL ?? '')?.[1]
  expect([user, services.database?.environment?.POSTGRES_DB]).toEqual(['catalog', 'catalog'])
  const trustedProxies = [services.balancer?.networks?.default.ipv4_address]
  const DATABASE_URL = 'postgresql://catalog@database/catalog'
  expect(readConfig({ ...settings, DATABASE_URL })).toMatchObject({ limits: { trustedProxies }, shutdownDelayMs: 3000 })
  for (const { depends_on = {} } of Object.values(services)) {
    for (const name of Object.keys(depends_on)) expect(services).toHaveProperty(name)
  }
})

test('all images have a digest, so nobody can change what a tag means', () => {
  const bases = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8').match(/(?<=^FROM )\S+/gm) ?? []
  const others = Object.values(COMPOSE.services).map(({ image }) => image)
  for (const image of [...bases, ...others.filter((image) => image !== 'dataset-catalog')])
    expect(image).toMatch(/^[\w/.-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

/** Creates what the image of PostGIS does: an empty database with the extension, changed by the script of compose.yaml. */
async function createAsCompose(folder: string) {
  const name = `catalog_compose_${randomUUID().slice(0, 8)}`
  const server = process.env.TEST_DATABASE_URL ?? ''
  const parts = { pathname: name, username: name, password: CATALOG_PASSWORD }
  const psql = async (url: string, ...args: string[]) => {
    const env = environment({ CATALOG_PASSWORD })
    const finished = await runProcess('psql', ['--quiet', '--set=ON_ERROR_STOP=1', ...args, url], env)
    expect(finished).toMatchObject({ code: 0, stderr: '' })
    return finished.stdout
  }
  await psql(server, `--command=CREATE DATABASE ${name}`)
  const file = join(folder, 'role.sql')
  await writeFile(file, COMPOSE.configs.role.content.replaceAll('catalog', name))
  await psql(
    Object.assign(new URL(server), { pathname: name }).href,
    ...['--command=CREATE EXTENSION postgis', `--file=${file}`],
  )
  return {
    env: { DATABASE_URL: Object.assign(new URL(server), parts).href },
    mayDoAll: () => psql(server, '--tuples-only', `--command=SELECT rolsuper FROM pg_roles WHERE rolname = '${name}'`),
    drop: () => psql(server, `--command=DROP DATABASE ${name} WITH (FORCE)`, `--command=DROP ROLE ${name}`),
  }
}

const CATALOG_PASSWORD = "it's"
const HAPROXY = '/usr/sbin/haproxy'
const isThere = process.env.TEST_DATABASE_URL && ((existsSync(HAPROXY) && hasRedis) || process.env.CI)

describe.skipIf(!isThere)('Two gateways behind the balancer of compose.yaml', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof createAsCompose>>
  let redis: Awaited<ReturnType<typeof startRedis>>
  let gateways: Gateway[]
  let balancer: ChildProcess
  let url: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-compose-'))
    database = await createAsCompose(folder)
    redis = await startRedis()
    await runCatalog(database.env, 'migrate')
    const env = {
      ...COMPOSE.services['gateway-1']?.environment,
      ...database.env,
      REDIS_URL: redis.url,
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_PORT: '0',
      SHUTDOWN_DELAY_MS: '2500',
      MAX_REFUSALS_PER_MINUTE: '20',
    }
    gateways = await Promise.all(GATEWAYS.map(() => startGateway(env)))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    // On a busy machine, a gateway may take more than the second after which the balancer checks it again.
    const patient = COMPOSE.configs.haproxy.content.replace('defaults\n', 'defaults\n  timeout check 15s\n')
    const configuration = GATEWAYS.reduce(
      (text, name, n) => text.replace(`${name}:4000`, new URL(gateways[n]?.url ?? '').host),
      patient.replace('bind :8080', `bind 127.0.0.1:${port}`),
    )
    const file = join(folder, 'haproxy.cfg')
    await writeFile(file, configuration)
    balancer = startProcess(HAPROXY, ['-db', '-f', file], { stdio: 'ignore' })
    const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200)
    await vi.waitFor(isReady, { timeout: 180_000 })
  })
  afterAll(async () => {
    balancer.kill('SIGKILL')
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    redis.process.kill('SIGKILL')
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const createKey = async (...options: string[]) => {
    const { stdout } = await runCatalog(database.env, 'keys', 'create', '--json', '--name', 'compose', ...options)
    return { authorization: `Bearer ${JSON.parse(stdout).key}` }
  }

  test('have the rights of an owner, who is no superuser', async () => {
    expect((await database.mayDoAll()).trim()).toBe('f')
    await createKey()
    expect(await runCatalog(database.env, 'doctor')).toMatchObject({ code: 0 })
  })

  test('share the requests, and count the requests of a key together', async () => {
    const sendEight = async () => {
      const headers = await createKey('--rate-limit', '4')
      const statuses: number[] = []
      for (let n = 0; n < 8; n += 1) statuses.push((await fetch(`${url}/v1/datasets`, { headers })).status)
      return statuses
    }
    // On a busy machine, Redis may take more than 200 ms. Each gateway then counts alone.
    await expect.poll(sendEight).toEqual([200, 200, 200, 200, 429, 429, 429, 429])
  })

  test('see the address of a client, and not the one that it chooses', async () => {
    const send = async (n: number) => {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}` }
      return (await fetch(`${url}/v1/datasets`, { headers })).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 30; n += 1) statuses.push(await send(n))
    expect(statuses).toContain(429)
  })

  test('give links of the host that the client asked', async () => {
    const headers = { ...(await createKey()), 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'https' }
    const { links } = await (await fetch(`${url}/ogc`, { headers })).json()
    for (const { href } of links) expect(href.startsWith(`${url}/`)).toBe(true)
  })

  test('answer every request during and after the stop of one of them', async () => {
    const headers = await createKey()
    const statuses: number[] = []
    let isOver = false
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const response = await fetch(`${url}/v1/datasets`, { headers })
        await response.text()
        statuses.push(response.status)
      }
    })
    await expect.poll(() => statuses.length).toBeGreaterThan(50)
    expect(await gateways[0]?.stop()).toBe(0)
    const before = statuses.length
    await expect.poll(() => statuses.length).toBeGreaterThan(before + 50)
    isOver = true
    await Promise.all(clients)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
