import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import {
  type Answer,
  ask,
  BALANCERS,
  HOST,
  hasBalancers,
  keepAlive,
  openSession,
  startBalancers,
} from '../support/balancers.ts'
import { createEmpty } from '../support/database.ts'
import { type Gateway, killProcesses, runCatalog, startGateway } from '../support/process.ts'

/*
 * The files of docs/deployment/ for HAProxy, nginx and Caddy, with the real programs before two gateways.
 */

const EACH = Object.entries(BALANCERS)

describe.runIf(inject('template').kind === 'postgres' && hasBalancers)('The balancers of docs/deployment/', () => {
  const network = `127.${1 + (process.pid % 250)}.${Math.floor(Math.random() * 250)}.`
  let folder: string
  const sessionOf = (balancer: (typeof BALANCERS)[string], n: string) =>
    openSession({ network, balancer, from: balancer.address + n })
  /** Waits until a balancer has an answer of a server behind it. */
  const untilAnswers = (balancer: (typeof BALANCERS)[string]) =>
    vi.waitFor(
      async () => {
        const session = sessionOf(balancer, '0')
        const { status } = await ask(session, '/healthz').finally(() => session.destroy())
        expect(status).toBe(200)
      },
      { timeout: 1_800_000 },
    )

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-deployment-'))
    await startBalancers(folder, network)
  })
  afterAll(async () => {
    killProcesses()
    await rm(folder, { recursive: true, maxRetries: 10 })
  })

  test.each(EACH)('%s passes on each line when it comes, and keeps its connection', async (_name, balancer) => {
    let goOn = () => {}
    const connections = new Set<unknown>()
    const server = createServer(async (request, response) => {
      if (request.url === '/readyz' || request.url === '/healthz') return response.end()
      connections.add(request.socket)
      if (request.url === '/short') return response.end('short')
      response.write('first\n')
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return response.end('last\n')
    })
    server.listen(4000, `${network}31`)
    await once(server, 'listening')
    await untilAnswers(balancer)
    const session = sessionOf(balancer, '0')
    try {
      connections.clear()
      for (let n = 0; n < 5; n += 1) expect((await ask(session, '/short')).status).toBe(200)
      expect(connections.size).toBe(1)
      const stream = session.request({ ':path': '/exports/seoul-landmarks.ndjson' })
      const [first] = await once(stream, 'data')
      expect(String(first)).toBe('first\n')
      goOn()
      expect(String(await buffer(stream))).toBe('last\n')
    } finally {
      session.destroy()
      server.closeAllConnections()
      server.close()
    }
  })

  describe('before two gateways', () => {
    let database: Awaited<ReturnType<typeof createEmpty>>
    let gateways: Gateway[]
    let headers: Record<string, string>
    // On a busy machine the checks of the balancers take seconds, and the delay must be longer.
    const start = (n: number) =>
      startGateway({
        ...database.env,
        ...{
          HOST: `${network}3${n}`,
          PORT: '4000',
          SAMPLE_DATA: 'true',
          LOG_LEVEL: 'info',
          SHUTDOWN_DELAY_MS: '10000',
        },
        ...{ TRUSTED_PROXIES: '127.0.0.1', MAX_REFUSALS_PER_MINUTE: '20' },
      })

    beforeAll(async () => {
      database = await createEmpty()
      gateways = [await start(1)]
      const create = runCatalog(database.env, 'keys', 'create', '--json', '--name', 'client')
      gateways.push(await start(2))
      const { stdout } = await create
      headers = { authorization: `Bearer ${JSON.parse(stdout).key}` }
      for (const [, balancer] of EACH) await untilAnswers(balancer)
    })
    afterAll(async () => {
      for (const { child } of gateways) child.kill('SIGKILL')
      await database.drop()
    })

    test.each(EACH)('%s names the address of a client, and not the one that it chooses', async (_name, balancer) => {
      const session = sessionOf(balancer, '1')
      const statuses = new Set<number>()
      for (let n = 0; n < 60; n += 1) {
        const chosen = { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}` }
        statuses.add((await ask(session, '/v1/datasets', chosen)).status)
      }
      expect(statuses).toEqual(new Set([401, 429]))
      session.destroy()
      const other = sessionOf(balancer, '2')
      expect((await ask(other, '/v1/datasets')).status).toBe(401)
      other.destroy()
    })

    test.each(EACH)('%s gives links of the host that the client asked, with TLS', async (_name, balancer) => {
      const session = sessionOf(balancer, '3')
      const chosen = { ...headers, 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'http' }
      const { links } = JSON.parse((await ask(session, '/ogc', chosen)).body)
      for (const { href } of links) expect(href).toMatch(/^https:\/\/catalog\.example\.org\//)
      session.destroy()
    })

    test.each(EACH)('%s gives an export as the gateway does', async (_name, balancer) => {
      const session = sessionOf(balancer, '3')
      const path = '/exports/seoul-landmarks.ndjson'
      const direct = await fetch(gateways[0]?.url + path, { headers })
      expect((await ask(session, path, headers)).body).toBe(await direct.text())
      session.destroy()
    })

    test('they lose no request while both gateways are replaced', async () => {
      const answers = new Set<string>()
      let isOver = false
      const keepAsking = async (name: string, send: () => Promise<Answer>) => {
        while (!isOver) {
          const { status, body } = await send().catch((error) => ({ status: 0, body: String(error) }))
          answers.add(`${name}: ${status === 200 ? 200 : `${status} ${body}`}`)
          await sleep(5)
        }
      }
      const sessions = EACH.flatMap(([, balancer]) => [sessionOf(balancer, '4'), sessionOf(balancer, '4')])
      const agents = EACH.map(([, balancer]) => keepAlive({ network, balancer, from: `${balancer.address}4` }))
      const document = { query: '{ datasets { nodes { slug } } }' }
      const clients = EACH.flatMap(([name], n) => {
        const [first, second, agent] = [sessions[2 * n], sessions[2 * n + 1], agents[n]]
        if (!first || !second || !agent) return []
        const path = `/v1/datasets${['', '/seoul-landmarks', '/seoul-landmarks/items'][n]}`
        return [
          keepAsking(`${name}, GET`, () => ask(first, path, headers)),
          keepAsking(`${name}, POST`, () => ask(second, '/graphql', headers, document)),
          keepAsking(`${name}, HTTP/1.1`, async () => {
            const [response] = await once(get(`https://${HOST}${path}`, { agent, headers }), 'response')
            return { status: response.statusCode, body: String(await buffer(response)) }
          }),
        ]
      })
      for (const n of [1, 2]) {
        expect(await gateways[n - 1]?.stop()).toBe(0)
        const gateway = await start(n)
        gateways[n - 1] = gateway
        // Its log has the routes that only one balancer asks for.
        const routes = new Set<string>()
        gateway.child.stderr?.on('data', (data) => {
          for (const [, route = ''] of String(data).matchAll(/"route":"(\/v1\/datasets[^"]*)"/g)) routes.add(route)
        })
        await expect.poll(() => routes.size).toBe(EACH.length)
      }
      isOver = true
      await Promise.all(clients)
      for (const session of sessions) session.destroy()
      for (const agent of agents) agent.destroy()
      const kinds = EACH.flatMap(([name]) => ['GET', 'POST', 'HTTP/1.1'].map((kind) => `${name}, ${kind}: 200`))
      expect([...answers].sort()).toEqual(kinds.sort())
    })
  })
})
