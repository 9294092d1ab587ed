import { type SqlSession, type SqlText, sql } from '../sql.ts'

/*
 * Positions in the write-ahead log of the primary, and how far replicas have replayed it. After a failover, a replica may have
 * replayed more of the old primary's log than the new primary has. Its position is higher, but its state is lost.
 *
 * So the primary has a mark: a random number that it gets after each start of the server, and so after each promotion. A server that
 * shows the mark has replayed this primary's log beyond the mark, because no other log contains the number; and if it follows no
 * later timeline, it has replayed nothing else since then. So its position says which part of this primary's log it has replayed.
 */

/** A position in the log of the primary with this mark. */
export interface LogPosition {
  mark: string
  /** In bytes. */
  offset: bigint
}

/** Selects the end of the log. It comes after all changes of which the server has sent notifications. */
const CURRENT_POSITION = sql`
  SELECT mark, (pg_current_wal_insert_lsn() - '0/0')::text AS "offset"
    FROM primary_mark WHERE started_at = pg_postmaster_start_time()`

/** Writes a new mark if the server was started after it got the last one. The name of a log file begins with the timeline. */
const MARK_PRIMARY = sql`
  INSERT INTO primary_mark AS current (started_at, timeline, mark)
  VALUES (
    pg_postmaster_start_time(),
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer,
    gen_random_uuid()
  )
      ON CONFLICT (is_only) DO UPDATE
     SET started_at = excluded.started_at, timeline = excluded.timeline, mark = excluded.mark
   WHERE current.started_at <> excluded.started_at`

/**
 * Selects how far a replica has replayed the log, and the fault of a server that is promoted, or follows a later timeline than the primary.
 * The control file shows a later timeline after the next checkpoint; the receiver at once, to a role that may read it.
 */
const REPLAYED_POSITION = sql`
  SELECT mark, (pg_last_wal_replay_lsn() - '0/0')::text AS "offset",
         CASE WHEN NOT pg_is_in_recovery() THEN 'it is not in recovery: it was promoted, or is no replica'
              WHEN greatest(
                     checkpoint.timeline_id, recovery.min_recovery_end_timeline, (SELECT received_tli FROM pg_stat_wal_receiver)
                   ) > timeline THEN 'it follows another timeline than the primary'
         END AS fault, NOT pg_is_in_recovery() AND started_at = pg_postmaster_start_time() AS "isMarked"
    FROM primary_mark, pg_control_checkpoint() AS checkpoint, pg_control_recovery() AS recovery`

/** Returns the end of the primary's log, and marks the primary before, if it has no mark since its start. */
export async function readPrimaryPosition(client: SqlSession): Promise<LogPosition | undefined> {
  const position = await readPosition(client, CURRENT_POSITION)
  if (position) return position
  await client.query(MARK_PRIMARY)
  return readPosition(client, CURRENT_POSITION)
}

/** Returns the position of the primary, without a change; undefined if it has no mark since its start. */
export function findPrimaryPosition(client: SqlSession): Promise<LogPosition | undefined> {
  return readPosition(client, CURRENT_POSITION)
}

/** How far a replica has replayed the log of the primary whose mark it shows, or why it may follow another log. A primary has its own mark. */
type Replayed = LogPosition | { fault: string; ownMark?: string }

interface ReplayedRow {
  mark: string
  offset: string | null
  fault: string | null
  isMarked: boolean
}

export async function readReplicaPosition(client: SqlSession): Promise<Replayed> {
  const { rows } = await client.query<ReplayedRow>(REPLAYED_POSITION)
  const [row] = rows
  if (!row) return { fault: 'it has no mark of a primary' }
  if (row.fault !== null && row.isMarked) return { fault: row.fault, ownMark: row.mark }
  if (row.fault !== null || row.offset === null) return { fault: row.fault ?? 'it has replayed nothing' }
  return { mark: row.mark, offset: BigInt(row.offset) }
}

/** Returns why a server does not show the state of the primary at `position`; undefined if it does, or if it is the primary. */
export function faultOf(replayed: Replayed, position: LogPosition): string | undefined {
  if ('fault' in replayed) return replayed.ownMark === position.mark ? undefined : replayed.fault
  if (replayed.mark !== position.mark) {
    return 'it lacks the mark of the primary: it follows another server, or lags since before the last start of the primary'
  }
  const behind = position.offset - replayed.offset
  return behind > 0n ? `it lags by ${behind} bytes of the log` : undefined
}

/** Whether a replica that has replayed the log up to `replayed` has the state of the primary at `position`, or a later one. */
export function includes(replayed: LogPosition, position: LogPosition): boolean {
  return replayed.mark === position.mark && replayed.offset >= position.offset
}

async function readPosition(client: SqlSession, text: SqlText): Promise<LogPosition | undefined> {
  const { rows } = await client.query<{ mark: string; offset: string | null }>(text)
  const [row] = rows
  return row && row.offset !== null ? { mark: row.mark, offset: BigInt(row.offset) } : undefined
}

/** Tracks the end of the write-ahead log at the last notification on one connection. */
export class PositionTracker {
  readonly #client: SqlSession
  readonly #onPosition: (position: LogPosition) => void
  #notifications = 0
  #isReading = false

  /** @param onPosition is called with a position after all notifications so far */
  constructor(client: SqlSession, onPosition: (position: LogPosition) => void) {
    this.#client = client
    this.#onPosition = onPosition
  }

  /** Reads the position again, because a notification arrived. */
  update(): void {
    this.#notifications += 1
    // Before the migration that creates the tables, the position is unknown. The migration sends a notification.
    if (!this.#isReading) this.#read().catch(() => {})
  }

  async #read(): Promise<void> {
    this.#isReading = true
    try {
      let position: LogPosition | undefined
      let notifications: number
      do {
        notifications = this.#notifications
        position = await readPrimaryPosition(this.#client)
        // If a notification arrived before the answer, its change may come after this position.
      } while (notifications !== this.#notifications)
      if (position) this.#onPosition(position)
    } finally {
      this.#isReading = false
    }
  }
}
