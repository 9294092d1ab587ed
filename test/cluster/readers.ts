import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../simulate/random.ts'
import { type Answer, DATASET, ITEMS, marksIn } from './model.ts'
import { until } from './node.ts'
import type { Gateway } from './stage.ts'

/** How a request ended: its status, or undefined if the connection failed. */
export interface Exchange extends Answer {
  gateway: string
  status: number | undefined
  body: string
}

interface Door {
  name: string
  path: string
  body?: object
}

const [item = ''] = ITEMS
const call = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
})

/** A request at every door. Its response has the mark of the state. */
const DOORS: readonly Door[] = [
  { name: 'REST datasets', path: '/v1/datasets' },
  { name: 'REST dataset', path: `/v1/datasets/${DATASET.slug}` },
  { name: 'REST items', path: `/v1/datasets/${DATASET.slug}/items?limit=10` },
  { name: 'REST item', path: `/v1/dataset-items/${item}` },
  { name: 'REST nearby', path: '/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=1000' },
  {
    name: 'GraphQL',
    path: '/graphql',
    body: { query: `{ dataset(id: "${DATASET.slug}") { name description items { nodes { name description } } } }` },
  },
  { name: 'GraphQL item', path: '/graphql', body: { query: `{ item(id: "${item}") { name dataset { name } } }` } },
  { name: 'MCP', path: '/mcp', body: call('listItems', { datasetId: DATASET.slug }) },
  { name: 'OGC', path: `/ogc/collections/${DATASET.slug}/items` },
  { name: 'tile', path: `/tiles/${DATASET.slug}/0/0/0.mvt` },
  { name: 'export', path: `/exports/${DATASET.slug}.ndjson` },
]

/** Waits until both gateways answer at every door. */
export async function untilWarm(gateways: readonly Gateway[], key: string): Promise<void> {
  const isWarm = async (gateway: Gateway) =>
    (await Promise.all(DOORS.map((door) => ask(gateway, door, key)))).every(({ status }) => status === 200)
  for (const gateway of gateways) await until(`${gateway.name} answers`, () => isWarm(gateway))
}

interface Reading {
  gateways: readonly Gateway[]
  key: string
  seed: string
  isOver: () => boolean
  add: (exchange: Exchange) => void
}

/** Asks both gateways at every door until the end. */
export async function read({ gateways, key, seed, isOver, add }: Reading): Promise<void> {
  const readers = gateways.flatMap((gateway) => [1, 2].map((n) => ({ gateway, random: new Random(`${seed} ${n}`) })))
  const keepAsking = async ({ gateway, random }: (typeof readers)[number]) => {
    while (!isOver()) {
      add(await ask(gateway, random.pick(DOORS), key))
      await sleep(random.below(80))
    }
  }
  await Promise.all(readers.map(keepAsking))
}

async function ask(gateway: Gateway, { name, path, body }: Door, key: string): Promise<Exchange> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: path === '/mcp' ? 'application/json, text/event-stream' : '*/*',
    'accept-encoding': 'identity',
    ...(body && { 'content-type': 'application/json' }),
  }
  const start = performance.now()
  const exchange = { gateway: gateway.name, door: name, start, end: start, marks: [], status: undefined, body: '' }
  try {
    const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
    const response = await fetch(gateway.url + path, { ...init, signal: AbortSignal.timeout(60_000) })
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    const { status } = response
    // A tool answers 200 with its error.
    const isUnavailable = text.includes('SERVICE_UNAVAILABLE')
    return {
      ...exchange,
      end: performance.now(),
      marks: marksIn(text),
      body: text,
      status: isUnavailable ? 503 : status,
    }
  } catch (error) {
    // A cut export is no answer.
    return { ...exchange, end: performance.now(), body: String(error) }
  }
}
