import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { readMigrations } from '../../src/database/migrate.ts'
import { compareObjects, readSnapshot } from '../../src/database/objects.ts'
import { useDatabase } from '../support/database.ts'
import { CHECKOUT } from '../support/process.ts'

/*
 * prisma/functions/ has the current text of each SQL function, with its comment. A migration that changes one takes the text from there.
 */

const db = useDatabase()

const FILES = globSync(join(CHECKOUT, 'prisma/functions/*.sql')).sort()
const FUNCTIONS = FILES.map((path) => ({ name: basename(path, '.sql'), text: readFileSync(path, 'utf8').trim() }))

/** The functions of the catalog. Those of PostGIS belong to its extension. */
const OF_CATALOG = `
  SELECT oid::regprocedure::text AS name, pg_get_functiondef(oid) AS definition, obj_description(oid) AS comment FROM pg_proc
   WHERE pronamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e') ORDER BY 1`

interface SqlFunction {
  name: string
  definition: string
  comment: string | null
}

const readFunctions = async (session: Client) => (await session.query<SqlFunction>(OF_CATALOG)).rows

test('each function of the database has a file, which makes it with its comment', async () => {
  await db.database.withSession(async (session) => {
    const functions = await readFunctions(session)
    expect(FUNCTIONS.map(({ name }) => name)).toEqual(functions.map(({ name }) => name.replace(/\(.*/, '')).sort())
    await session.query('BEGIN')
    for (const { name } of functions) await session.query(`COMMENT ON FUNCTION ${name} IS NULL`)
    for (const { name, text } of FUNCTIONS) {
      expect(text).toContain(`\nCREATE OR REPLACE FUNCTION ${name}(`)
      await session.query(text)
    }
    expect(await readFunctions(session)).toEqual(functions)
    await session.query('ROLLBACK')
  })
})

test('no setting of strings changes an object that the files and the statements of the doctor make', async () => {
  await db.database.withSession(async (session) => {
    await session.query('BEGIN; SET LOCAL standard_conforming_strings = off')
    for (const { text } of FUNCTIONS) await session.query(text)
    expect(await compareObjects(session)).toEqual([])
    const snapshot = await readSnapshot()
    const functions = snapshot.filter(({ name }) => name.startsWith('function '))
    for (const { create } of functions) await session.query(create)
    for (const { name, create } of snapshot.filter((one) =>
      /^constraint .*(slug|source_date).* of datasets/.test(one.name),
    )) {
      await session.query(`ALTER TABLE datasets DROP CONSTRAINT ${name.split(' ')[1]} CASCADE; ${create}`)
    }
    await session.query('SET LOCAL standard_conforming_strings = on')
    expect(await compareObjects(session)).toEqual([])
    const { rows } = await session.query(`SELECT fold_name('Łódź Ærø') AS folded, letters_of('각') AS letters`)
    expect(rows).toEqual([{ folded: 'lodz aero', letters: '\u1100\u1161\u11a8' }])
    await session.query('ROLLBACK')
  })
})

test('the last migration that makes a function has the text of its file', async () => {
  const migrations = (await readMigrations()).reverse().map(({ sql }) => sql.replaceAll('CREATE OR REPLACE', 'CREATE'))
  for (const { name, text } of FUNCTIONS) {
    const last = migrations.find((sql) => sql.includes(`\nCREATE FUNCTION ${name}(`))
    expect(last).toContain(text.replace('CREATE OR REPLACE', 'CREATE'))
  }
})
