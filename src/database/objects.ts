import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { findStale, readGeneratedColumns } from './generated-columns.ts'

/** The objects that the migrations make. `npm run objects` writes them after a new migration. */
const SNAPSHOT = join(fileURLToPath(new URL('../../prisma/', import.meta.url)), 'objects.json')

const object = z.object({
  name: z.string(),
  /** The statement that makes the object. Two objects of a name are equal if these are. */
  create: z.string(),
  /** Statements that give an object of that name its properties. Without any, it is dropped and made again. */
  alter: z.array(z.string()),
})

/** A table, column, constraint, index, trigger, function and so on of the catalog. */
type CatalogObject = z.output<typeof object>

/** An object of a database. `table` is the table that it changes; null if operators may add such objects. */
type ExistingObject = CatalogObject & { drop: string; table: string | null }

/** A difference between a database and the migrations, and the statement that mends it. */
interface Difference {
  found: string
  advice: string
  sql: string
}

/** Returns the objects that the migrations make, each after those that it needs. */
export async function readSnapshot(): Promise<CatalogObject[]> {
  return z.array(object).parse(JSON.parse(await readFile(SNAPSHOT, 'utf8')))
}

/** Writes the objects of a database that has just been migrated, one on each line. */
export async function writeSnapshot(session: SqlSession): Promise<void> {
  const objects = await readObjects(session)
  const lines = objects.map(({ name, create, alter }) => ` ${JSON.stringify({ name, create, alter })}`)
  await writeFile(SNAPSHOT, `[\n${lines.join(',\n')}\n]\n`)
}

/** Returns the objects of a database, each after those that it needs. Those of extensions and of Prisma Migrate are left out. */
export async function readObjects(session: SqlSession): Promise<ExistingObject[]> {
  return (await session.query<ExistingObject>(OBJECTS)).rows
}

/** Compares a database with the migrations. The statements can run in this order. */
export async function compareObjects(session: SqlSession): Promise<Difference[]> {
  const expected = await readSnapshot()
  const actual = await readObjects(session)
  const byName = new Map(actual.map((one) => [one.name, one]))
  const known = new Set(expected.map(({ name }) => name))
  const surplus = actual.filter(({ name, table }) => known.has(`table ${table}`) && !known.has(name))
  const differences = [
    ...surplus.map(({ name, drop }) => differenceOf(name, 'is not from the migrations', drop)),
    ...expected.flatMap((one) => {
      const existing = byName.get(one.name)
      if (!existing) return differenceOf(one.name, 'is missing', one.create)
      if (existing.create === one.create) return []
      const changed = one.alter.filter((statement) => !existing.alter.includes(statement))
      const statements = changed.length > 0 ? changed : [existing.drop, one.create]
      return differenceOf(one.name, 'is not as the migrations make it', statements.join('; '))
    }),
  ]
  if (differences.length === 0) {
    const stale = await findStale(session)
    return stale.map(({ name, n, mend }) => ({
      ...STALE,
      found: `${name} has ${n} values of another function`,
      sql: `${mend};`,
    }))
  }
  const changed = expected.filter(({ name, create }) => functionOf(name) && byName.get(name)?.create !== create)
  const made = new Set(madeBy(changed, expected))
  const same = expected.filter((one) => made.has(one) && byName.get(one.name)?.create === one.create)
  return [...differences, ...(await makeAgain(session, same))]
}

const functionOf = (name: string) => /^function (\w+)/.exec(name)?.[1]

/** Returns the objects that call one of these functions, also through others. */
function madeBy(functions: readonly CatalogObject[], objects: readonly CatalogObject[]): CatalogObject[] {
  const names = functions.flatMap(({ name }) => functionOf(name) ?? [])
  if (names.length === 0) return []
  const call = new RegExp(`\\b(${names.join('|')})\\(`)
  const callers = objects.filter((one) => !functions.includes(one) && call.test(one.create))
  return [...callers, ...madeBy(callers, objects)]
}

/** The statements that compute generated columns and indexes again. */
async function makeAgain(session: SqlSession, objects: readonly CatalogObject[]): Promise<Difference[]> {
  const columns = new Map((await readGeneratedColumns(session)).map(({ name, mend }) => [name, mend]))
  return objects.flatMap(({ name }) => {
    const again = columns.get(name) ?? name.replace(/^index (\w+) of .*/, 'REINDEX INDEX $1')
    return again === name ? [] : { ...STALE, found: `${name} may have values of another function`, sql: `${again};` }
  })
}

const STALE = { advice: 'run this last; it computes the wrong values again' }

function differenceOf(name: string, difference: string, sql: string): Difference {
  let advice = 'run this'
  if (/^(table|column) /.test(name) && difference === 'is missing')
    advice = 'restore a backup, or run this and import again, because its content is lost'
  else if (/^(table|function|trigger) /.test(name))
    advice = 'run this, then SELECT recount_items(), because changes may have been missed'
  else if (sql.startsWith('DELETE')) advice = 'run this, which deletes the rows whose owner is gone'
  return { found: `${name} ${difference}`, advice, sql: `${sql};` }
}

const COLUMN_TYPE = sql`format_type(atttypid, atttypmod) || coalesce(' COLLATE ' || quote_ident(collname), '')`

const OF_EXTENSION = (catalog: SqlText) =>
  sql`EXISTS (SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${catalog}.oid AND deptype IN ('e', 'i'))`

/** Sets the sequence of an identity column behind the numbers of the table. */
const SET_IDENTITY = sql`; SELECT setval(pg_get_serial_sequence(%1$L, %2$L), (SELECT coalesce(max(%2$I), 0) + 1 FROM %1$I), false)`

/** Before a foreign key is made again, the rows are deleted that it would have deleted. */
const OBJECTS = sql`
  WITH classes AS (
    SELECT * FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations' AND NOT ${OF_EXTENSION(sql`pg_class`)}
  ), tables AS (
    SELECT oid, relname, relrowsecurity,
           EXISTS (SELECT FROM pg_trigger WHERE tgrelid = classes.oid AND tgisinternal AND tgenabled <> 'O') AS lacks_checks
      FROM classes WHERE relkind = 'r'
  ), objects (rank, oid, name, "create", alter, drop, "table") AS (
    SELECT 1, oid, 'sequence ' || relname, format('CREATE SEQUENCE %I', relname), '{}'::text[], '', NULL
      FROM classes WHERE relkind = 'S'
     UNION ALL
    SELECT 2, oid, 'type ' || typname, format('CREATE TYPE %I AS ENUM ()', typname), '{}', '', NULL
      FROM pg_type WHERE typtype = 'e' AND typnamespace = 'public'::regnamespace
     UNION ALL
    SELECT 3, pg_enum.oid, format('value %s of %s', enumlabel, typname),
           format('ALTER TYPE %I ADD VALUE %L', typname, enumlabel), '{}', '', NULL
      FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid WHERE typnamespace = 'public'::regnamespace
     UNION ALL
    SELECT 4, oid, 'table ' || relname,
           concat(format('CREATE TABLE %I ()', relname), CASE WHEN relrowsecurity OR lacks_checks THEN ' -- changed' END),
           ARRAY[format('ALTER TABLE %I %s ROW LEVEL SECURITY', relname, CASE WHEN relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END),
                 format('ALTER TABLE %I %s TRIGGER ALL', relname, CASE WHEN lacks_checks THEN 'DISABLE' ELSE 'ENABLE' END)],
           '', NULL
      FROM tables
     UNION ALL
    SELECT 5, oid, format('function %s(%s)', proname, pg_get_function_identity_arguments(oid)),
           definition, ARRAY[definition], '', NULL
      FROM pg_proc CROSS JOIN LATERAL rtrim(pg_get_functiondef(oid), E'\\n') AS definition
     WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND NOT ${OF_EXTENSION(sql`pg_proc`)}
     UNION ALL
    SELECT CASE WHEN attgenerated = '' THEN 6 ELSE 7 END, attrelid, format('column %s.%s', relname, attname),
           concat(format('ALTER TABLE %I ADD COLUMN %I ', relname, attname), ${COLUMN_TYPE},
                  CASE WHEN attgenerated = 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', expression)
                       WHEN attidentity = '' THEN ' DEFAULT ' || expression END,
                  CASE WHEN attnotnull THEN ' NOT NULL' END,
                  CASE WHEN attidentity <> '' THEN format(' GENERATED BY DEFAULT AS IDENTITY${SET_IDENTITY}', relname, attname) END),
           CASE WHEN attgenerated <> '' THEN '{}' ELSE ARRAY[
             format('ALTER TABLE %1$I ALTER COLUMN %2$I TYPE %3$s USING %2$I::%4$s', relname, attname, ${COLUMN_TYPE}, atttypid::regtype),
             format('ALTER TABLE %I ALTER COLUMN %I %s NOT NULL', relname, attname, CASE WHEN attnotnull THEN 'SET' ELSE 'DROP' END),
             CASE WHEN attidentity <> ''
                  THEN format('ALTER TABLE %1$I ALTER COLUMN %2$I ADD GENERATED BY DEFAULT AS IDENTITY${SET_IDENTITY}', relname, attname)
                  ELSE format('ALTER TABLE %I ALTER COLUMN %I %s', relname, attname, coalesce('SET DEFAULT ' || expression, 'DROP DEFAULT'))
             END] END,
           format('ALTER TABLE %I DROP COLUMN %I CASCADE', relname, attname), relname
      FROM tables JOIN pg_attribute ON attrelid = tables.oid
      LEFT JOIN pg_collation ON pg_collation.oid = attcollation AND collname <> 'default'
      LEFT JOIN LATERAL (SELECT pg_get_expr(adbin, adrelid) AS expression
                           FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum) AS value ON true
     WHERE attnum > 0 AND NOT attisdropped
     UNION ALL
    SELECT CASE contype WHEN 'f' THEN 10 ELSE 8 END, pg_constraint.oid, format('constraint %s of %s', conname, relname),
           concat(CASE confdeltype WHEN 'c' THEN format('DELETE FROM %I WHERE %I NOT IN (SELECT %I FROM %s); ', relname,
                    (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]),
                    (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1]), confrelid::regclass) END,
                  format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))), '{}',
           format('ALTER TABLE %I DROP CONSTRAINT %I CASCADE', relname, conname), relname
      FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE contype IN ('p', 'u', 'c', 'f', 'x')
     UNION ALL
    SELECT 9, indexrelid, format('index %s of %s', index.relname, tables.relname),
           pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' -- invalid' END, '{}',
           format('DROP INDEX %I CASCADE', index.relname), CASE WHEN indisunique THEN tables.relname END
      FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class AS index ON index.oid = indexrelid
     WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
     UNION ALL
    SELECT 11, pg_trigger.oid, format('trigger %s of %s', tgname, relname),
           definition || CASE WHEN tgenabled = 'O' THEN '' ELSE ' -- ' || tgenabled::text END,
           ARRAY[replace(definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'),
                 format('ALTER TABLE %I %s TRIGGER %I', relname, CASE WHEN tgenabled = 'O' THEN 'ENABLE' ELSE 'DISABLE' END, tgname)],
           format('DROP TRIGGER %I ON %I', tgname, relname), relname
      FROM tables JOIN pg_trigger ON tgrelid = tables.oid CROSS JOIN LATERAL pg_get_triggerdef(pg_trigger.oid) AS definition
     WHERE NOT tgisinternal
     UNION ALL
    SELECT 12, pg_rewrite.oid, format('rule %s of %s', rulename, relname), pg_get_ruledef(pg_rewrite.oid), '{}',
           format('DROP RULE %I ON %I', rulename, relname), relname
      FROM tables JOIN pg_rewrite ON ev_class = tables.oid
  )
  SELECT name, "create", alter, drop, "table" FROM objects ORDER BY rank, oid, name`
