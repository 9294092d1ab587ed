import { type SqlSession, type SqlText, sql } from '../sql.ts'

/** A generated column, and the statement that computes its wrong values again. */
interface GeneratedColumn {
  /** As in objects.ts. */
  name: string
  mend: string
}

/** Returns the generated columns of a database. */
export async function readGeneratedColumns(session: SqlSession): Promise<(GeneratedColumn & { count: SqlText })[]> {
  return (await session.query<GeneratedColumn & { count: SqlText }>(GENERATED_COLUMNS)).rows
}

/** Returns the columns with values that their expression does not give, as after a function was replaced for some time, and their number. */
export async function findStale(session: SqlSession): Promise<(GeneratedColumn & { n: number })[]> {
  const stale = []
  for (const { count, ...column } of await readGeneratedColumns(session)) {
    const [row] = (await session.query<{ n: number }>(count)).rows
    if (row?.n) stale.push({ ...column, n: row.n })
  }
  return stale
}

/** `count` has the expression as PostgreSQL knows it. A column is computed again when a column is set from which it is made. */
const GENERATED_COLUMNS = sql`
  SELECT format('column %s.%s', relname, attname) AS name,
         format('SELECT count(*)::integer AS n FROM %I WHERE %I IS DISTINCT FROM %s', relname, attname, expression) AS count,
         format('UPDATE %1$I SET %2$I = %2$I WHERE %3$I IS DISTINCT FROM %4$s', relname, source, attname, expression) AS mend
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attgenerated = 's'
    JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   CROSS JOIN pg_get_expr(adbin, adrelid) AS expression
   CROSS JOIN LATERAL (
          SELECT part.attname AS source FROM pg_depend JOIN pg_attribute AS part ON part.attrelid = refobjid AND part.attnum = refobjsubid
           WHERE classid = 'pg_attrdef'::regclass AND objid = pg_attrdef.oid
             AND refclassid = 'pg_class'::regclass AND refobjsubid NOT IN (0, adnum)
           ORDER BY refobjsubid LIMIT 1) AS made_from
   WHERE relnamespace = 'public'::regnamespace ORDER BY 1`
