import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors/errors.ts'
import { type SqlSession, sql } from '../sql.ts'
import { DatabaseClient } from './client.ts'
import { type AdviceTable, adviceOn, type Finding, fail, note, ok, type Result, rows } from './finding.ts'
import { faultOf, type LogPosition, readReplicaPosition } from './log-position.ts'
import { serverConnection } from './session.ts'
import { readTableNames } from './statistics.ts'

/** What a replica says of itself. */
interface Facts {
  role: string
  isInRecovery: boolean
  isPaused: boolean
  hasReceiver: boolean
  /** Whether the role sees at once that the receiver follows another timeline. */
  seesReceiver: boolean
  /** The tables that the role may not read. */
  unreadable: string | null
  /** Whether a second connection reached another server. */
  moves: boolean
  /** Why it does not show the state of the primary; undefined if it does, or if the primary has no mark. */
  fault: string | undefined
}

/** What can be wrong with a replica, each with what mends it, in order of weight. */
const CHECKS: readonly ((facts: Facts) => Result | false)[] = [
  ({ moves }) =>
    moves && fail('leads to several servers, so a read may be old', 'name each replica by its own address'),
  ({ isInRecovery, fault }) =>
    !isInRecovery &&
    (fault === undefined
      ? note('is the primary now, and is read as such', 'leave its URL if it can become a replica again')
      : fail(
          'is not in recovery, so it is no replica',
          'build it again from the primary (pg_basebackup), or remove its URL',
        )),
  ({ unreadable, role }) =>
    unreadable !== null &&
    fail(`${role} may not read ${unreadable}`, 'run this on the primary', `GRANT SELECT ON ${unreadable} TO ${role};`),
  ({ isPaused, fault }) =>
    isPaused && fail(`is paused: ${fault ?? 'it will lag'}`, 'run this on it', 'SELECT pg_wal_replay_resume();'),
  ({ isInRecovery, isPaused, hasReceiver, fault }) =>
    isInRecovery &&
    !isPaused &&
    fault !== undefined &&
    fail(
      `is not used: ${fault}`,
      hasReceiver
        ? 'if this stays, correct the URL or build it again from the primary; pg_stat_replication there shows which step lags'
        : 'it receives nothing: correct primary_conninfo (its log says why), or build it again from the primary',
    ),
  ({ isInRecovery, seesReceiver, role }) =>
    isInRecovery &&
    !seesReceiver &&
    note(
      'is in use; a wrong server is noticed only after a checkpoint',
      `run GRANT pg_read_all_stats TO ${role}; on the primary`,
    ),
]

/** What to do if a replica does not answer, by the SQLSTATE. */
const ADVICE: AdviceTable = [
  [/^28/, 'correct the user and the password in DATABASE_REPLICA_URLS, or pg_hba.conf of the replica'],
  [/^(3D|42P01)/, 'correct the name of the database in DATABASE_REPLICA_URLS'],
  [/^42501/, 'let the role of DATABASE_REPLICA_URLS read all tables of the catalog'],
  [/^57P03/, 'wait until it has started; it needs hot_standby = on'],
  [/^53/, 'raise max_connections of the replica, or lower DATABASE_POOL_SIZE'],
  [/^(40|57014)/, 'run catalog doctor again'],
  [/CERT|TLS/, 'correct sslmode or sslrootcert in DATABASE_REPLICA_URLS'],
  [/^(08|E[A-Z]+$|undefined$)/, 'correct the host and the port in DATABASE_REPLICA_URLS, or start the replica'],
]

const FACTS = sql`
  SELECT quote_ident(current_user) AS role, pg_is_in_recovery() AS "isInRecovery",
         CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() ELSE false END AS "isPaused",
         EXISTS (SELECT FROM pg_stat_wal_receiver) AS "hasReceiver", pg_has_role('pg_read_all_stats', 'USAGE') AS "seesReceiver",
         (SELECT string_agg(quote_ident(relname), ', ') FROM pg_class WHERE relnamespace = to_regnamespace('public')
             AND relname = ANY ($1) AND NOT has_table_privilege(oid, 'SELECT')) AS unreadable`

const TIMEOUT_MS = 5_000
/** A replica lags for a moment after a change. */
const ATTEMPTS = 20
const PAUSE_MS = 100

/**
 * Checks the replicas of these URLs, and changes nothing. The findings name the host, and never the password.
 * @param position the position of the primary, read before; undefined if unknown
 */
export async function checkReplicas(urls: readonly string[], position: LogPosition | undefined): Promise<Finding[]> {
  const findings = await Promise.all(urls.map((url) => checkReplica(url, position)))
  return findings.flat().map((finding) => ({ check: 'replica', ...finding }))
}

async function checkReplica(url: string, position: LogPosition | undefined): Promise<Result[]> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS }
  const open = () => new DatabaseClient({ ...serverConnection(url), ...timeouts })
  const [client, second] = [open(), open()] as const
  const named = (result: Result) => ({ ...result, found: `${client.host}:${client.port} ${result.found}` })
  try {
    for (const one of [client, second]) await one.connect()
    const facts = await readFacts(client, position)
    const results = CHECKS.flatMap(
      (check) => check({ ...facts, moves: client.session?.server !== second.session?.server }) || [],
    )
    const sound = position
      ? 'has replayed what the primary had'
      : 'is a replica; the primary has no mark, which a gateway writes'
    return (results.length > 0 ? results : [ok(sound)]).map(named)
  } catch (error) {
    return [named(fail(`can't be used: ${messageOf(error)}`, adviceOn(error, ADVICE)))]
  } finally {
    for (const one of [client, second]) void one.end()
  }
}

async function readFacts(client: SqlSession, position: LogPosition | undefined): Promise<Omit<Facts, 'moves'>> {
  const [facts] = await rows<Omit<Facts, 'moves' | 'fault'>>(client, FACTS, [await readTableNames()])
  if (!facts) throw new Error('The replica did not answer')
  // The position of a server that may not read the mark is unknown.
  if (facts.unreadable?.includes('primary_mark')) return { ...facts, fault: undefined }
  for (let attempt = 1; ; attempt += 1) {
    const replayed = await readReplicaPosition(client)
    const fault = position ? faultOf(replayed, position) : 'fault' in replayed ? replayed.fault : undefined
    if (fault === undefined || facts.isPaused || attempt === ATTEMPTS) return { ...facts, fault }
    await sleep(PAUSE_MS)
  }
}
