import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import type { DatabaseConfig } from '../config/config.ts'
import { openEmbedded } from '../embedded/embedded.ts'
import { adviseOnFullDisk } from '../embedded/full-disk.ts'
import { WAITING } from '../embedded/protocol.ts'
import { EXCLUSIVE, HEARTBEAT, READER } from '../embedded/wire.ts'
import { messageOf, operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type SqlSession, sql } from '../sql.ts'
import { cancelByFunction, cancelByRequest } from './canceller.ts'
import type { ChangeFeed, FeedEvent } from './change-feed.ts'
import { classifyError, DatabaseClient, isConnectionLost, SERVER_HEARTBEAT } from './client.ts'
import { followChanges, SERVER_ECHO } from './follow-changes.ts'
import { clusterFile } from './migrate.ts'
import { CatalogPool, type PoolUse, type StatementEnd } from './pool.ts'
import { Replica } from './replica.ts'
import { ServerWatch } from './server-watch.ts'
import { requestSettings, SET_SESSION, type SessionConfig, serverConnection } from './session.ts'
import { createPrisma, createSqlReader, type SqlReader, statementName } from './sql-reader.ts'

/** An open database, with one interface for the embedded database and a PostgreSQL server. */
export interface Database {
  readonly prisma: PrismaClient
  /** Sends the statements of hot paths, which Prisma would slow down. Its statements are not part of Prisma's transactions. */
  readonly sql: SqlReader
  /** Read replicas of the database. */
  readonly replicas: readonly Replica[]
  /**
   * Runs `use` on a separate connection outside Prisma, for locks and temporary tables that several statements share. Returns its
   * result.
   * @throws `OPERATION_FAILED` if the connection can't be opened or is lost
   */
  withSession: <Result>(use: (session: SqlSession) => Promise<Result>) => Promise<Result>
  /**
   * Runs work on so many rows that it may need the session for a long time. Readers of the embedded database then read from a copy:
   * they see all changes of `work` when it ends, and other writers wait. Servers need no copy.
   */
  withReadersOnCopy: <Result>(session: SqlSession, rows: number, work: () => Promise<Result>) => Promise<Result>
  /**
   * Starts to listen for changes. The caller closes the feed before the database.
   * @param relay is called with each event, for other processes that follow the same connection
   */
  followChanges: (relay?: (event: FeedEvent) => void) => ChangeFeed
  /** The host and the port of the server. */
  readonly address: string
  poolUse: () => PoolUse
  /**
   * Checks that the database answers, also while its statements take long.
   * @throws the connection error if it does not
   */
  ping: () => Promise<void>
  /** Where other processes connect to the embedded database. */
  readonly embeddedUrl: string | undefined
  close: () => Promise<void>
}

export interface OpenOptions {
  /** Whether to use the embedded database of another process that has the folder open. If false, that is an error. */
  share: boolean
  /** The URL of an embedded database that the parent process keeps open. */
  embeddedUrl?: string | undefined
  /** Called with a line when the embedded database ends unexpectedly, when a server is lost, and when it is back. */
  report?: ((line: string) => void) | undefined
  /** URLs of the read replicas of a PostgreSQL server. */
  replicaUrls?: readonly string[]
  /** Whether the change feed tracks the position in the write-ahead log; by default if there are replicas. */
  tracksPosition?: boolean
  /** The change feed of another process, instead of one that `followChanges` starts. */
  changeFeed?: ChangeFeed | undefined
  /** Called for each SQL statement of requests and commands, with its parameters as JSON. For tests. */
  onStatement?: (sql: string, parameters: string) => void
  /** Called at the end of each statement. */
  observe?: ((end: StatementEnd) => void) | undefined
  /** The command that opens the database. `onWait` is called with the reason why its statements wait. */
  command?: { name: string; onWait: (line: string) => void }
}

/** The server stops a statement at its timeout. If the server does not answer, the client stops waiting this much later. */
const QUERY_TIMEOUT_MARGIN_MS = 2_000
/** The statements of the change feed take no time. Without an answer for this long, it connects again. */
const FEED_TIMEOUT_MS = 5_000
/** A server that can't be used for a shorter time is not reported: a proxy starts again, or a replica lags for a moment after a change. */
const PATIENCE_MS = { primary: 1_000, replica: 5_000 }
/** A replica must report its position within this time. */
const REPLICA_TIMEOUT_MS = 1_000
/** Work on fewer rows takes less than half a second, and a copy of the embedded database takes longer. */
const ROWS_WORTH_A_COPY = 3_000

/** Whether there is a database. To open an embedded database that does not exist creates it. */
export function databaseExists(config: DatabaseConfig): boolean {
  return config.kind === 'postgres' || existsSync(join(config.dataDir, 'postgres'))
}

/**
 * Opens a database. It connects to a PostgreSQL server only at the first use.
 * @throws `OPERATION_FAILED` if the embedded database can't be opened
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<Database> {
  const embedded = config.kind === 'embedded' ? await openFolder(config.dataDir, options) : undefined
  const connection = connectionOf(config, embedded?.url, options.command?.name)
  // A command writes in transactions, so it is not a reader. A gateway and its workers are.
  const isReader = embedded !== undefined && (!options.share || options.embeddedUrl !== undefined)
  const {
    prisma,
    sql: reader,
    pool,
  } = openServer({ ...connection, ...(isReader && { application_name: `${READER}the gateway` }) }, config, options)
  const replicas = (options.replicaUrls ?? []).map((url) => openReplica(url, config, options))
  const follow = (feed: ChangeFeed) => {
    for (const follower of [pool, ...replicas]) follower.follow(feed)
    return feed
  }
  if (options.changeFeed) follow(options.changeFeed)
  const address = config.kind === 'postgres' ? addressIn(connection) : 'embedded'
  const { tracksPosition = replicas.length > 0 } = options

  return {
    prisma,
    sql: reader,
    replicas,
    withSession: (use) =>
      withSession({ ...connection, connectionTimeoutMillis: config.connectTimeoutMs }, (session) => {
        reportWaits(session, options)
        return use(session)
      }),
    withReadersOnCopy: (session, rows, work) =>
      embedded && rows >= ROWS_WORTH_A_COPY ? withReadersOnCopy(session, rows, work) : work(),
    followChanges: (relay) =>
      follow(
        options.changeFeed ?? followChanges({ ...feedOptions(connection, config, options), relay, tracksPosition }),
      ),
    address,
    poolUse: () => pool.use,
    ping: () => pool.ping(embedded ? HEARTBEAT : sql`SELECT 1`),
    embeddedUrl: embedded?.url,
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()))
      await prisma.$disconnect()
      // Together, because the pool waits for its statements, and one that waits for an import ends with the embedded database.
      await Promise.all([pool.end(), embedded?.close()])
    },
  }
}

async function openFolder(dataDir: string, { share, embeddedUrl, report }: OpenOptions) {
  if (embeddedUrl !== undefined) return { url: embeddedUrl, close: async () => {} }
  return openEmbedded(dataDir, {
    share,
    settings: SET_SESSION,
    template: await clusterFile(),
    ...(report && { report }),
  })
}

function connectionOf(
  config: DatabaseConfig,
  embeddedUrl: string | undefined,
  command: string | undefined,
): SessionConfig {
  if (config.kind === 'postgres') return serverConnection(config.url)
  return { ...parseIntoClientConfig(embeddedUrl ?? ''), ...(command !== undefined && { application_name: command }) }
}

function feedOptions(connection: SessionConfig, { kind, connectTimeoutMs }: DatabaseConfig, options: OpenOptions) {
  // On the embedded database, LISTEN waits for the end of an import.
  const timeout = kind === 'postgres' && { query_timeout: FEED_TIMEOUT_MS }
  return {
    createClient: () => new DatabaseClient({ ...connection, connectionTimeoutMillis: connectTimeoutMs, ...timeout }),
    ...(kind === 'postgres'
      ? {
          heartbeat: SERVER_HEARTBEAT,
          echo: SERVER_ECHO,
          watch: watchOf('primary', connection, options),
        }
      : { heartbeat: HEARTBEAT, echo: HEARTBEAT }),
  }
}

function openServer(connection: SessionConfig, config: DatabaseConfig, options: OpenOptions) {
  const pool = new CatalogPool({
    turnTimeoutMs: config.statementTimeoutMs,
    observe: options.observe,
    // One more than the places of requests: the look-up of a key, the list of datasets and /readyz wait for no statement of a request on a server.
    max: config.poolSize + 1,
    // A new connection has no plans and no open tables, so its first statement takes 50 ms. A burst of one key would leave only such to others.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: config.connectTimeoutMs,
    ...(config.kind === 'embedded' ? embeddedPool(connection, config) : serverPool(connection, config)),
  })
  pool.on('connect', (client) => reportWaits(client, options))
  // Clients of the embedded database share its session, and would use the same name for different statements.
  const nameOf = config.kind === 'postgres' ? statementName : () => ''
  const { onStatement } = options
  return {
    pool,
    prisma: createPrisma(pool, { nameOf, onStatement }),
    sql: createSqlReader(pool, { nameOf, onStatement }),
  }
}

/** The embedded database has one session. */
function embeddedPool(connection: SessionConfig, { statementTimeoutMs }: DatabaseConfig) {
  const canceller = cancelByRequest(addressOf(connection))
  return { ...connection, statement_timeout: statementTimeoutMs, places: 1, canceller }
}

function addressOf({ host = 'localhost', port = 5432 }: SessionConfig) {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

function serverPool(connection: SessionConfig, { poolSize, connectTimeoutMs, statementTimeoutMs }: DatabaseConfig) {
  const cancelling = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: QUERY_TIMEOUT_MARGIN_MS }
  return {
    ...connection,
    places: poolSize,
    query_timeout: statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS,
    settings: requestSettings(statementTimeoutMs),
    canceller: cancelByFunction({ ...connection, ...cancelling }),
  }
}

function openReplica(url: string, config: DatabaseConfig, options: OpenOptions): Replica {
  const connection = serverConnection(url)
  const timeouts = { connectionTimeoutMillis: REPLICA_TIMEOUT_MS, query_timeout: REPLICA_TIMEOUT_MS }
  return new Replica({
    ...openServer(connection, config, options),
    watch: watchOf('replica', connection, options),
    createClient: () => new DatabaseClient({ ...connection, ...timeouts }),
  })
}

function watchOf(role: keyof typeof PATIENCE_MS, connection: SessionConfig, options: OpenOptions): ServerWatch {
  const { report = () => {} } = options
  return new ServerWatch({ role, address: addressIn(connection), patienceMs: PATIENCE_MS[role], report })
}

/** The host and the port to which pg connects: those of the URL, of PGHOST and PGPORT, or its own. */
function addressIn(connection: SessionConfig): string {
  const { host, port } = new DatabaseClient(connection)
  return `${host}:${port}`
}

/** Reports why the statements of a client of the embedded database wait. */
function reportWaits(client: Pick<pg.ClientBase, 'on'>, { command }: OpenOptions): void {
  if (command) client.on('notice', ({ code, message }) => code === WAITING && command.onWait(message ?? ''))
}

async function withReadersOnCopy<Result>(
  session: SqlSession,
  rows: number,
  work: () => Promise<Result>,
): Promise<Result> {
  await session.query(EXCLUSIVE.begin(rows))
  const result = await work().catch(async (error: unknown) => {
    // Without a connection this fails too, and the import has ended with it. `error` says why the connection ended.
    await session.query(EXCLUSIVE.end).catch(() => {})
    throw error
  })
  await session.query(EXCLUSIVE.end)
  return result
}

/** A statement ends with its command, not minutes later. Servers on some other systems refuse the setting. */
const STOP_WITH_CLIENT = sql`SELECT set_config('client_connection_check_interval', '1s', false) WHERE version() LIKE '%linux%'`

async function withSession<Result>(config: SessionConfig, use: (session: SqlSession) => Promise<Result>) {
  const session = new DatabaseClient(config)
  try {
    await session.connect()
  } catch (error) {
    throw operationFailed(`The database can't be reached: ${messageOf(error)}`, classifyError(error))
  }
  try {
    if (session.isPooled) await checkPooler(session, config)
    await session.query(STOP_WITH_CLIENT)
    return await use(session)
  } catch (error) {
    const advice = adviseOnFullDisk(messageOf(error))
    if (advice !== messageOf(error)) throw operationFailed(advice, error)
    if (isConnectionLost(error)) throw operationFailed(`The database went away: ${messageOf(error)}`, error)
    throw error
  } finally {
    await session.end()
  }
}

/** Other clients of the gateway may take a session between two of these, but hardly between all. */
const POOLER_PROBES = 4

/**
 * Checks that a pooler keeps a session for its client. In transaction mode it gives the session to the next client that asks.
 * @throws `OPERATION_FAILED` in transaction mode
 */
async function checkPooler({ session }: DatabaseClient, config: SessionConfig): Promise<void> {
  const processes = new Set([session?.process])
  const clients = Array.from({ length: POOLER_PROBES }, () => new DatabaseClient(config))
  try {
    for (const client of clients) {
      await client.connect()
      processes.add(client.session?.process)
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
  if (processes.size > POOLER_PROBES) return
  throw operationFailed(
    'The database is behind a pooler in transaction mode: set it to session mode, or name the server itself in DATABASE_URL',
  )
}
