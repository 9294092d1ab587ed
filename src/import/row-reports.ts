import { type SqlSession, type SqlText, sql } from '../sql.ts'

/** A statement reports its progress after this number of rows. */
const REPORT_ROWS = 1_000

/** The code of the messages that report progress. It is no SQLSTATE of PostgreSQL. */
const ROWS_DONE = sql`DCROW`

/** A message of this level reaches the client at once, whatever its settings. */
const CREATE_REPORT = sql`
  CREATE FUNCTION pg_temp.report_rows(n bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RAISE INFO USING MESSAGE = n, ERRCODE = '${ROWS_DONE}';
    RETURN true;
  END $$`

/**
 * Runs a statement that reports how far it is, if it has many rows. The caller has a transaction.
 * @param rows is the number of its rows
 * @param onShare is called with the share of the rows that are done, from 0 to 1
 * @param run gets a function that returns SQL: a condition that is true for every row, by the number of the row
 */
export async function withRowReports(
  session: SqlSession,
  rows: number,
  onShare: (share: number) => void,
  run: (reported: (n: SqlText) => SqlText) => Promise<unknown>,
): Promise<void> {
  if (rows < REPORT_ROWS) {
    await run(() => sql`true`)
    return
  }
  const listen = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code === ROWS_DONE) onShare(Number(message) + REPORT_ROWS > rows ? 1 : Number(message) / rows)
  }
  await session.query(CREATE_REPORT)
  session.on('notice', listen)
  try {
    await run((n) => sql`(${n} % ${REPORT_ROWS} <> 0 OR pg_temp.report_rows(${n}))`)
  } finally {
    session.off('notice', listen)
  }
  // The embedded database has one session for all clients. After an error, the function ends with the transaction.
  await session.query(sql`DROP FUNCTION pg_temp.report_rows`)
}
