import { createServer } from 'node:http'
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { ReadCounts } from '../../catalog/snapshot-reader.ts'
import type { PoolUse, StatementEnd } from '../../database/pool.ts'
import type { Refusal } from '../../errors/errors.ts'

/** How an HTTP request ended. */
interface RequestEnd {
  method: string
  /** The template of the path, for example `/v1/datasets/{datasetId}`. */
  route: string
  status: number
  durationMs: number
  refusal: Refusal | undefined
}

/** What a request took (key-usage.ts). */
interface Use {
  key: { name: string }
  dataset: string | undefined
  items: number
  bytes: number
}

/** Functions that return current values. They are called whenever the metrics are read. */
interface Sources {
  /** The servers of the database. */
  servers: () => readonly { role: string; server: string; isUsable: boolean }[]
  poolUse: () => PoolUse
  /** Lookups in the response cache since the start. */
  cacheLookups: () => { hits: number; misses: number }
  /** Reads of the catalog since the start. */
  reads: () => ReadCounts
  /** The bytes of responses that clients have not read, and the responses that were cut off since the start. */
  unread: Readonly<{ bytes: number; cutOff: number }>
  /** The copies of datasets of other catalogs, and for how long each was not known to be complete. */
  mirrorLags: () => Promise<readonly { dataset: string; seconds: number }[]>
}

/** The values of all metrics of a process, in JSON. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[]

/** The metrics of the gateway, for Prometheus. */
export interface Metrics {
  countRequest: (end: RequestEnd) => void
  countUse: (use: Use) => void
  countStatement: (end: StatementEnd) => void
  /** Adds metrics whose values are read from `sources`. */
  watch: (sources: Sources) => void
  /** All metrics in the text format of Prometheus. */
  print: () => Promise<string>
  values: () => Promise<MetricValues>
}

/** In seconds. Cached responses take less than a millisecond. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates the metrics, with the metrics of the process. */
export function openMetrics(): Metrics {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  })
  const statements = new Histogram({
    name: 'sql_statement_duration_seconds',
    help: 'Duration of SQL statements by outcome (ok or failed), including the network',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  })
  const refusals = new Counter({
    name: 'requests_refused_total',
    help: 'Requests with a SERVICE_UNAVAILABLE, by reason',
    labelNames: ['reason'],
    registers,
  })
  const keyUse = createUseCounters('key', registers)
  const datasetUse = createUseCounters('dataset', registers)
  return {
    countUse: ({ key, dataset, items, bytes }) => {
      keyUse({ name: key.name, items, bytes })
      if (dataset !== undefined) datasetUse({ name: dataset, items, bytes })
    },
    countRequest: ({ method, route, status, durationMs, refusal }) => {
      requests.observe({ method, route, status }, durationMs / 1000)
      if (refusal) refusals.inc({ reason: refusal })
    },
    countStatement: ({ hasFailed, durationMs }) =>
      statements.observe({ outcome: hasFailed ? 'failed' : 'ok' }, durationMs / 1000),
    watch: (sources) => watch(sources, registers),
    print: () => register.metrics(),
    values: () => register.getMetricsAsJSON(),
  }
}

/** Each value of a label is a time series. After this number of names, further names count as `OTHER`. */
const MAX_NAMES = 200
const OTHER = '(other)'

/** The names and descriptions of the counters of requests. */
const USE_COUNTERS = {
  key: {
    requests: ['key_requests_total', 'Requests by the name of their key'],
    items: ['key_items_total', 'Items in responses by the name of the key'],
    bytes: ['key_response_bytes_total', 'Bytes of response bodies before compression by the name of the key'],
  },
  dataset: {
    requests: ['dataset_requests_total', 'Requests by the slug of the only dataset that they read'],
    items: ['dataset_items_total', 'Items in responses by the slug of the dataset'],
    bytes: ['dataset_response_bytes_total', 'Bytes of response bodies before compression by the slug of the dataset'],
  },
} as const

/** Creates the counters of one label, and returns the function that adds to them. */
function createUseCounters(label: keyof typeof USE_COUNTERS, registers: Registry[]) {
  const counter = ([name, help]: readonly [string, string]) =>
    new Counter({ name, help, labelNames: [label], registers })
  const requests = counter(USE_COUNTERS[label].requests)
  const items = counter(USE_COUNTERS[label].items)
  const bytes = counter(USE_COUNTERS[label].bytes)
  const names = new Set<string>()
  return (use: { name: string; items: number; bytes: number }) => {
    if (names.size < MAX_NAMES) names.add(use.name)
    const labels = { [label]: names.has(use.name) ? use.name : OTHER }
    requests.inc(labels)
    items.inc(labels, use.items)
    bytes.inc(labels, use.bytes)
  }
}

function watch({ servers, poolUse, cacheLookups, reads, unread, mirrorLags }: Sources, registers: Registry[]): void {
  new Gauge({
    name: 'database_server_usable',
    help: 'Whether the gateway can read from a server of the database (1) or not (0), by role (primary or replica)',
    labelNames: ['role', 'server'],
    // A server that one worker can't use is not usable.
    aggregator: 'min',
    registers,
    collect() {
      for (const { role, server, isUsable } of servers()) this.set({ role, server }, Number(isUsable))
    },
  })
  new Gauge({
    name: 'sql_connections',
    help: 'Database connections by state (idle or busy), and statements that wait for a connection (waiting)',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(poolUse())) this.set({ state }, count)
    },
  })
  new Counter({
    name: 'catalog_reads_total',
    help: 'Reads of the catalog by database server (primary or replica)',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset()
      for (const [server, count] of Object.entries(reads())) this.inc({ server }, count)
    },
  })
  new Gauge({
    name: 'unread_response_bytes',
    help: 'Bytes of responses that clients have not read yet, without those of small responses',
    registers,
    collect() {
      this.set(unread.bytes)
    },
  })
  new Counter({
    name: 'responses_cut_off_total',
    help: 'Responses that were cut off, because their clients read nothing',
    registers,
    collect() {
      this.reset()
      this.inc(unread.cutOff)
    },
  })
  new Gauge({
    name: 'mirror_lag_seconds',
    help: 'Seconds since the copy of a dataset of another catalog was last known to be complete, by slug',
    labelNames: ['dataset'],
    // Each worker reads the same.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      for (const { dataset, seconds } of await mirrorLags()) this.set({ dataset }, seconds)
    },
  })
  new Counter({
    name: 'response_cache_lookups_total',
    help: 'Lookups in the response cache by result (hit or miss)',
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = cacheLookups()
      this.reset()
      this.inc({ result: 'hit' }, hits)
      this.inc({ result: 'miss' }, misses)
    },
  })
}

/**
 * Serves the metrics at /metrics on a separate port, because they are not for API clients.
 * @returns the port, and a function that stops the server
 */
export async function serveMetrics(
  { print }: Pick<Metrics, 'print'>,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close: () => void }> {
  const server = createServer((request, response) => {
    const isFound = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
    if (!isFound) response.writeHead(404).end()
    else {
      print().then(
        (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
        () => response.writeHead(500).end(),
      )
    }
  })
  await new Promise<void>((resolve, reject) => {
    // A later error is that of a connection which the system could not accept. The next one may succeed.
    server.on('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
