import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { DatabaseConfig } from '../config.ts'
import { messageOf, operationFailed } from '../errors.ts'
import { PrismaClient } from '../generated/prisma/client.ts'
import { type ChangeFeed, followChanges } from './change-feed.ts'
import { type Embedded, type EmbeddedOptions, openEmbedded, SOCKET_PORT } from './embedded/embedded.ts'
import { CatalogPool, type PoolUse, type StatementEnd } from './pool.ts'
import { Replica } from './replica.ts'
import { isUnavailable } from './unavailable.ts'

/** An open database: the embedded one or a PostgreSQL server, the same from here on. */
export interface Database {
  readonly prisma: PrismaClient
  /** Copies of it, to read from as long as they are up to date. */
  readonly replicas: readonly Replica[]
  /** Runs `use` with a connection of its own: for what spans statements (locks, temporary tables) outside Prisma. */
  withSession: <Result>(use: (session: pg.Client) => Promise<Result>) => Promise<Result>
  /** Listens for changes from now on; the caller closes that before the database. */
  followChanges: () => ChangeFeed
  poolUse: () => PoolUse
  close: () => Promise<void>
}

interface OpenOptions extends EmbeddedOptions {
  /** Copies of a PostgreSQL server's database, to read from. */
  replicaUrls?: readonly string[]
  /** Is told of each SQL statement that Prisma sends: its text, and its parameters in JSON. */
  onStatement?: (sql: string, parameters: string) => void
  /** Is told of the end of each. */
  observe?: ((end: StatementEnd) => void) | undefined
}

const CONNECT_TIMEOUT_MS = 5_000
/** How much later than by its own timeout a statement is given up on. */
const SILENCE_MS = 2_000
/** How long a replica may take to say how far it is. */
const REPLICA_TIMEOUT_MS = 1_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

/**
 * Opens a database; connects on first use.
 * @throws `OPERATION_FAILED` when the embedded database can't be opened.
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<Database> {
  const embedded = config.kind === 'embedded' ? await openEmbedded(config.dataDir, options) : undefined
  const connection = embedded
    ? embeddedConnection(embedded)
    : serverConnection(config.kind === 'postgres' ? config.url : '')
  const { prisma, pool } = openServer(connection, config, options)
  const replicas = (options.replicaUrls ?? []).map((url) => openReplica(url, config, options))

  return {
    prisma,
    replicas,
    withSession: (use) => withSession({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, use),
    followChanges: () =>
      followChanges({
        createClient: () => new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }),
        mayDieSilently: config.kind === 'postgres',
        tracksPosition: replicas.length > 0,
      }),
    poolUse: () => pool.use,
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()))
      await prisma.$disconnect()
      await pool.end()
      await embedded?.close()
    },
  }
}

function embeddedConnection({ socketDir }: Embedded): pg.ClientConfig {
  return { host: socketDir, port: SOCKET_PORT, user: 'postgres', database: 'postgres' }
}

function serverConnection(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    keepAlive: true,
    application_name: 'dataset-catalog',
    // The adapter drops the offset of a timestamp; and compiling costs more than these queries take.
    options: '-c timezone=UTC -c jit=off',
  }
}

function openServer(connection: pg.ClientConfig, config: DatabaseConfig, options: OpenOptions, countsFailures = false) {
  const pool = new CatalogPool({
    ...connection,
    cancels: config.kind === 'postgres',
    observe: options.observe,
    countsFailures,
    max: config.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(config.kind === 'postgres' && {
      statement_timeout: config.statementTimeoutMs,
      // A server that has gone silent does not keep its own timeout.
      query_timeout: config.statementTimeoutMs + SILENCE_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    }),
  })
  // Without a listener the loss of an idle connection would end the process; Prisma's own is gone once it disconnects.
  pool.on('error', () => {})
  return { pool, prisma: createPrisma(pool, { named: config.kind === 'postgres', ...options }) }
}

function openReplica(url: string, config: DatabaseConfig, options: OpenOptions): Replica {
  const connection = serverConnection(url)
  const timeouts = { connectionTimeoutMillis: REPLICA_TIMEOUT_MS, query_timeout: REPLICA_TIMEOUT_MS }
  return new Replica({
    ...openServer(connection, config, options, true),
    createClient: () => new pg.Client({ ...connection, ...timeouts }),
  })
}

function createPrisma(pool: pg.Pool, options: Pick<OpenOptions, 'onStatement'> & { named: boolean }): PrismaClient {
  // A broken idle connection is replaced by the pool; the query that meets it fails on its own account.
  const adapter = new PrismaPg(pool, {
    // The embedded database's clients share one session, where names of theirs would collide.
    ...(options.named && { statementNameGenerator: ({ sql }) => statementName(sql) }),
  })
  const { onStatement } = options
  if (!onStatement) return new PrismaClient({ adapter, log: [] })
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', (event) => onStatement(event.query, event.params))
  return client
}

const statementNames = new Map<string, string>()
/** Texts vary with what a stranger selects; what has a name stays prepared on every connection. */
const STATEMENT_NAMES_LIMIT = 500
/** How often statements without a name were sent. Those that are sent but once or twice get none. */
const sightings = new LRUCache<string, number>({ max: 1_000 })
const SIGHTINGS_FOR_A_NAME = 3

/** A name for a statement to be prepared under; empty, so not prepared, for the first times and once there are many. */
function statementName(sql: string): string {
  const known = statementNames.get(sql)
  if (known !== undefined) return known
  const sighting = (sightings.get(sql) ?? 0) + 1
  sightings.set(sql, sighting)
  if (sighting < SIGHTINGS_FOR_A_NAME || statementNames.size >= STATEMENT_NAMES_LIMIT) return ''
  const name = createHash('sha256').update(sql).digest('base64url')
  statementNames.set(sql, name)
  return name
}

async function withSession<Result>(config: pg.ClientConfig, use: (session: pg.Client) => Promise<Result>) {
  const session = new pg.Client(config)
  // Without a listener the loss of the connection would end the process; the statement under way fails anyway.
  session.on('error', () => {})
  try {
    await session.connect()
  } catch (error) {
    throw operationFailed(`The database can't be reached: ${messageOf(error)}`, error)
  }
  try {
    return await use(session)
  } catch (error) {
    if (isUnavailable(error)) throw operationFailed(`The database went away: ${messageOf(error)}`, error)
    throw error
  } finally {
    // What went wrong before matters; a connection that can't be ended is gone.
    await session.end().catch(() => {})
  }
}
