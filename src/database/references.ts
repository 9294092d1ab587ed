import { columnList, listOf, quoteName, type SqlSession, sql } from '../sql.ts'
import { fail, ok, type Result, rows } from './finding.ts'
import { readTableNames } from './statistics.ts'

/** A foreign key. */
interface Reference {
  child: string
  columns: string[]
  parent: string
  keys: string[]
  deletes: boolean
}

const REFERENCES = sql`
  SELECT child.relname AS child, parent.relname AS parent, confdeltype = 'c' AS deletes,
         ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k (n, i) JOIN pg_attribute ON attrelid = conrelid AND attnum = n ORDER BY i) AS columns,
         ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS k (n, i) JOIN pg_attribute ON attrelid = confrelid AND attnum = n ORDER BY i) AS keys
    FROM pg_constraint JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
   WHERE contype = 'f' AND child.relnamespace = 'public'::regnamespace AND child.relname = ANY ($1) ORDER BY array_position($1::text[], child.relname::text)`

/** Finds rows that no foreign key would let in: a restore without triggers leaves them. */
export async function checkReferences(session: SqlSession): Promise<Result | Result[]> {
  const findings: Result[] = []
  for (const reference of await rows<Reference>(session, REFERENCES, [await readTableNames()])) {
    const { child, columns, parent, keys, deletes } = reference
    const own = columnList(columns, sql`child`)
    const orphans = sql`(${own}) IS NOT NULL AND NOT EXISTS (SELECT FROM ${quoteName(parent)} AS parent WHERE (${columnList(keys, sql`parent`)}) = (${own}))`
    const [row] = await rows<{ n: number }>(
      session,
      sql`SELECT count(*)::integer AS n FROM ${quoteName(child)} AS child WHERE ${orphans}`,
    )
    if (!row?.n) continue
    const change = deletes
      ? sql`DELETE FROM ${quoteName(child)} AS child`
      : sql`UPDATE ${quoteName(child)} AS child SET ${listOf(columns.slice(-1).map(quoteName))} = NULL`
    const effect = deletes ? 'deletes them' : `makes them rows without ${columns.at(-1)}`
    const found = `${row.n} rows of ${child} belong to rows of ${parent} that are gone`
    findings.push(fail(found, `restore a backup, or run this, which ${effect}`, `${change} WHERE ${orphans};`))
  }
  return findings.length === 0 ? ok('no row belongs to one that is gone') : findings
}
