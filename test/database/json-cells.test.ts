import { expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()

const KOREAN = '국립중앙박물관 '
/** Longer than what arrives in one part. */
const LONG = KOREAN.repeat(50_000)

test.each([
  ['text in ASCII', 'Seoul', 'string'],
  ['other text', KOREAN, 'bytes'],
  ['long text in ASCII', 'Seoul'.repeat(100_000), 'string'],
  ['long other text', LONG, 'bytes'],
  ['text of planes beyond the first', '𠮷野家 🗺️', 'bytes'],
  ['an empty text', '', 'string'],
])('a cell of JSON with %s keeps it', async (_what, text, form) => {
  const { sql } = db.database
  // The fourth use is prepared.
  for (let n = 0; n < 4; n += 1) {
    const [row] = await sql.$queryRaw<
      { json: string | Buffer }[]
    >`SELECT NULL::text AS none, 1 AS before, ${text}::text AS json, ${text}::text AS name`
    expect(Buffer.isBuffer(row?.json) ? 'bytes' : typeof row?.json).toBe(form)
    expect({ ...row, json: row?.json.toString() }).toEqual({ before: 1, json: text, name: text, none: null })
  }
})

test('a cell without JSON is null, and the cells of rows are their own', async () => {
  const rows = await db.database.sql.$queryRaw<{ json: string | Buffer | null }[]>`
    SELECT CASE WHEN n % 2 = 0 THEN repeat(${KOREAN}::text || n, 1000) END AS json FROM generate_series(1, 300) AS n ORDER BY n`
  const areRight = rows.map(({ json }, n) =>
    n % 2 === 0 ? json === null : json?.toString() === `${KOREAN}${n + 1}`.repeat(1_000),
  )
  expect([rows.length, areRight.indexOf(false)]).toEqual([300, -1])
})

test('other statements of the same connection get texts', async () => {
  const { prisma, sql } = db.database
  await sql.$queryRaw`SELECT ${KOREAN}::text AS json`
  expect(await prisma.$queryRaw`SELECT ${KOREAN}::text AS json`).toEqual([{ json: KOREAN }])
  const { rows } = await db.database.withSession((session) => session.query(`SELECT '${KOREAN}'::text AS json`))
  expect(rows).toEqual([{ json: KOREAN }])
})
