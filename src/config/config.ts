import { closeSync, openSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { operationFailed } from '../errors/errors.ts'
import { type BaseMap, NAMED_BASE_MAPS } from './base-maps.ts'
import { parseOrigin } from './origin.ts'
import { readTelemetry, type TelemetryConfig } from './telemetry.ts'

const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1')

const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((n) => n >= minimum && n <= maximum, `must be a whole number from ${minimum} to ${maximum}`)

/** A list with commas. `what` names its parts. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))

const listOf = (isPart: (part: string) => boolean, what: string) =>
  list.refine((parts) => parts.every(isPart), `must be a comma-separated list of ${what}`)

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, `must be one of ${words.join(', ')}`)

/**
 * The upper limit of the settings for waits. During a wait, a client's connection has no traffic. Node closes such a connection
 * after IDLE_TIMEOUT_MS (gateway/http.ts), so a client would get no response after a longer wait.
 */
const MAX_WAIT_MS = 60_000

/**
 * Two connections for each core, so that each worker can keep one for another key. PostgreSQL accepts 100 by default, and each process
 * needs some more.
 */
const DEFAULT_POOL_SIZE = Math.min(32, Math.max(8, 2 * availableParallelism()))

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL such as postgresql://user:password@host:5432/database',
})

const environment = z.object({
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URLS: listOf(
    (url) => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? ''),
    'URLs such as postgresql://user:password@host:5432/database',
  ),
  DATA_DIR: z.string().default('.data'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65535).default(4000),
  WORKERS: integer(1, 1000).optional(),
  SAMPLE_DATA: flag.optional(),
  CORS_ORIGINS: list.transform(parseOrigins),
  TRUSTED_PROXIES: listOf(isNetwork, 'addresses and networks such as 10.0.0.0/8'),
  BASE_PATH: z
    .string()
    .default('')
    .transform((path) => path.replace(/\/$/, ''))
    .refine((path) => /^(\/[\w~-][\w.~-]*)*$/.test(path), 'must be a path such as /geo'),
  TRUSTED_DOCUMENTS: z.string().optional(),
  BASE_MAP: z.string().transform(parseBaseMap).optional(),
  CONTACT: z
    .string()
    .regex(/^[^\p{Cc}]{1,200}$/u, 'must be one line of at most 200 characters')
    .optional(),
  PUBLIC_KEY: z
    .string()
    .regex(/^dck_[\w-]{43,128}$/, 'must be an API key, which begins with dck_')
    .optional(),
  FEDERATION: flag.default(false),
  DATABASE_POOL_SIZE: integer(1, 1000).default(DEFAULT_POOL_SIZE),
  CONNECT_TIMEOUT_MS: integer(1, MAX_WAIT_MS).default(5_000),
  STATEMENT_TIMEOUT_MS: integer(1, MAX_WAIT_MS).default(10_000),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a URL such as redis://host:6379' }).optional(),
  MAX_REQUESTS_IN_FLIGHT: integer(1, 1_000_000).default(500),
  MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000).default(1_000),
  MAX_REFUSALS_PER_MINUTE: integer(1, 1_000_000_000).default(600),
  MAX_EXPORTS: integer(1, 10_000).default(8),
  MAX_WAITING_REQUESTS: integer(0, 1_000_000).default(1_000),
  RESPONSE_STALL_TIMEOUT_MS: integer(1, MAX_WAIT_MS).default(60_000),
  UNREAD_RESPONSES_MB: integer(1, 1_000_000).default(256),
  RECEIVE_TIMEOUT_MS: integer(1, 600_000).default(15_000),
  SHUTDOWN_DELAY_MS: integer(0, 600_000).default(0),
  LOG_LEVEL: oneOf(LOG_LEVELS).optional(),
  METRICS_PORT: integer(0, 65535).optional(),
  RESPONSE_CACHE_MB: integer(0, 1_000_000).default(64),
  CATALOG_API_KEY: z.string().optional(),
  UNDO_DAYS: integer(0, 36_500).default(30),
  FEED_RETENTION_DAYS: integer(1, 36_500).default(30),
})
type Environment = z.output<typeof environment>

const configuration = environment
  .superRefine(
    (env, { addIssue, issues }) => {
      // Variables that are wrong by themselves are not compared with others.
      const areValid = (...names: string[]) => !issues.some(({ path }) => names.includes(String(path?.[0])))
      // Each worker needs a database connection, and room for a request.
      const bounds = ['DATABASE_POOL_SIZE', 'MAX_REQUESTS_IN_FLIGHT'] as const
      const bound = bounds.find((name) => areValid('WORKERS', name) && Number(env.WORKERS) > env[name])
      if (bound !== undefined) {
        addIssue({ code: 'custom', path: ['WORKERS'], message: `must be at most ${bound}, which is ${env[bound]}` })
      }
      if (areValid('FEDERATION', 'TRUSTED_DOCUMENTS') && env.FEDERATION && env.TRUSTED_DOCUMENTS !== undefined) {
        const message = "can't be true with TRUSTED_DOCUMENTS, because a gateway writes its own documents"
        addIssue({ code: 'custom', path: ['FEDERATION'], message })
      }
    },
    // Otherwise it runs only if every variable is valid by itself.
    { when: () => true },
  )
  .transform((env) => ({
    workers: env.WORKERS ?? defaultWorkers(env),
    database: {
      ...(env.DATABASE_URL === undefined
        ? { kind: 'embedded' as const, dataDir: env.DATA_DIR }
        : { kind: 'postgres' as const, url: env.DATABASE_URL }),
      poolSize: env.DATABASE_POOL_SIZE,
      connectTimeoutMs: env.CONNECT_TIMEOUT_MS,
      statementTimeoutMs: env.STATEMENT_TIMEOUT_MS,
    },
    replicaUrls: env.DATABASE_URL === undefined ? [] : env.DATABASE_REPLICA_URLS,
    host: env.HOST,
    port: env.PORT,
    sampleData: env.SAMPLE_DATA ?? env.DATABASE_URL === undefined,
    corsOrigins: env.CORS_ORIGINS,
    basePath: env.BASE_PATH,
    trustedDocuments: env.TRUSTED_DOCUMENTS,
    baseMap: env.BASE_MAP,
    contact: env.CONTACT,
    publicKey: env.PUBLIC_KEY,
    federation: env.FEDERATION,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    logLevel: env.LOG_LEVEL,
    metricsPort: env.METRICS_PORT,
    limits: {
      redisUrl: env.REDIS_URL,
      maxInFlight: env.MAX_REQUESTS_IN_FLIGHT,
      maxConnectionsPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
      refusalsPerMinute: env.MAX_REFUSALS_PER_MINUTE,
      maxExports: env.MAX_EXPORTS,
      maxWaiting: env.MAX_WAITING_REQUESTS,
      responseStallTimeoutMs: env.RESPONSE_STALL_TIMEOUT_MS,
      unreadBytes: env.UNREAD_RESPONSES_MB * 1024 * 1024,
      receiveTimeoutMs: env.RECEIVE_TIMEOUT_MS,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    responseCacheBytes: env.RESPONSE_CACHE_MB * 1024 * 1024,
    originKey: env.CATALOG_API_KEY,
    undoDays: env.UNDO_DAYS,
    feedRetentionDays: env.FEED_RETENTION_DAYS,
  }))

/** The settings of a process, parsed and complete. Times are in milliseconds. */
export type Config = z.output<typeof configuration> & {
  /** Only \`catalog serve\` uses it. */
  telemetry: TelemetryConfig
  /** Whether metrics are counted. */
  hasMetrics: boolean
  /** For the operator: variables that have no effect. */
  warning?: string
}
export type DatabaseConfig = Config['database']
export type LogLevel = (typeof LOG_LEVELS)[number]
/** Limits for clients and their connections. */
export type LimitsConfig = Config['limits']

/**
 * Reads the configuration from environment variables. An empty variable counts as not set.
 * @throws `OPERATION_FAILED` with one line for each variable that is wrong.
 */
export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = configuration.safeParse(given)
  if (parsed.success) {
    const telemetry = readTelemetry(given)
    const hasMetrics = parsed.data.metricsPort !== undefined || telemetry.metrics !== undefined
    const warning = parsed.data.database.kind === 'embedded' && warnOfPsql(given)
    return { ...parsed.data, telemetry, hasMetrics, ...warning }
  }
  throw operationFailed(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
}

/** Variables of libpq that name a server. The gateway could follow them only in part, so it asks for the URL. */
const PSQL_VARIABLES = ['PGHOST', 'PGHOSTADDR', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD', 'PGSERVICE']

function warnOfPsql(given: Record<string, unknown>): { warning?: string } {
  const names = PSQL_VARIABLES.filter((name) => name in given)
  if (names.length === 0) return {}
  return { warning: `Without DATABASE_URL the embedded database is used, whatever ${names.join(', ')} may say` }
}

/** The embedded database has one session, which one process can keep busy. On PostgreSQL each worker has at least two connections. */
function defaultWorkers(env: Environment): number {
  if (env.DATABASE_URL === undefined) return 1
  const connected = Math.max(1, Math.floor(env.DATABASE_POOL_SIZE / 2))
  return Math.min(availableParallelism(), connected, env.MAX_REQUESTS_IN_FLIGHT)
}

function parseBaseMap(text: string, { addIssue }: { addIssue: (message: string) => void }): BaseMap {
  const named = Object.hasOwn(NAMED_BASE_MAPS, text) ? NAMED_BASE_MAPS[text] : undefined
  if (named) return named
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') {
    const given = ['{z}', '{x}', '{y}'].filter((part) => text.includes(part))
    if (given.length % 3 !== 0) addIssue('must have {z}, {x} and {y} if it is the URL of raster tiles')
    return { kind: given.length === 0 ? 'style' : 'raster', url: text }
  }
  const problem = findProblemOfPmtiles(text)
  if (problem !== undefined) {
    const names = Object.keys(NAMED_BASE_MAPS).join(', ')
    addIssue(
      `must be ${names}, the URL of a style or of raster tiles, or the path of a PMTiles file: ${text} ${problem}`,
    )
  }
  return { kind: 'pmtiles', path: text }
}

/** Returns what is wrong with a PMTiles file, undefined if nothing is. It begins with its name and its version. */
function findProblemOfPmtiles(path: string): string | undefined {
  const start = Buffer.alloc(8)
  try {
    const file = openSync(path, 'r')
    readSync(file, start, 0, start.length, 0)
    closeSync(file)
  } catch (error) {
    return `can't be read (${error instanceof Error && 'code' in error ? error.code : error})`
  }
  return start.toString('latin1') === 'PMTiles\x03' ? undefined : 'is no PMTiles file of version 3'
}

function isNetwork(text: string): boolean {
  const [address = '', length = '0', ...rest] = text.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)]
  return bits !== undefined && /^\d{1,3}$/.test(length) && Number(length) <= bits && rest.length === 0
}

/** The origins of CORS_ORIGINS, one of which may be `*` for all. */
function parseOrigins(texts: readonly string[], context: z.RefinementCtx): string[] {
  return texts.flatMap((text) => {
    const parsed = text === '*' ? { origin: text } : parseOrigin(text)
    if ('origin' in parsed) return parsed.origin
    context.addIssue(`must be a comma-separated list of origins, or *: ${parsed.problem}`)
    return []
  })
}
