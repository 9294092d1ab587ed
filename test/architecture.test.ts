import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { quoteName, type SqlSession, sql } from '../src/sql.ts'
import { leftOut, ONLY_AT_NIGHT, ONLY_EMBEDDED, ONLY_POSTGRES } from './suites.ts'

/** A request flows down this list, and so do imports; errors, config and what is generated are for all. */
const LAYERS = [
  'explorer',
  'cli',
  'workers',
  'server',
  'api',
  'changes',
  'gateway',
  'graphql',
  'sample',
  'auth',
  'mirror',
  'export',
  'init',
  'import',
  'history',
  'rows',
  'catalog',
  'database',
  'embedded',
  'tracing',
  'otlp',
  'config',
  'errors',
  'sql',
  'json',
  'generated',
]

const SOURCES = new Map(
  globSync('src/**/*.{ts,tsx}', { exclude: ['src/generated/**'] }).map((file) => [file, readFileSync(file, 'utf8')]),
)

/** The files of src/ that a file imports, for types too. */
function importsOf(file: string): string[] {
  const paths =
    SOURCES.get(file)?.matchAll(/(?:^(?:import|export)\b[^;'"]*?\bfrom|^import|\bimport\()\s*['"](\.[^'"]+)['"]/gm) ??
    []
  return [...paths].map(([, path = '']) => join(dirname(file), path))
}

const layerOf = (file: string) => LAYERS.indexOf(/^src\/([\w-]+)/.exec(file)?.[1] ?? '')

test('imports point one way, from HTTP down to the database', () => {
  const upward: string[] = []
  for (const file of SOURCES.keys()) {
    expect(layerOf(file), `${file} is in no layer`).toBeGreaterThanOrEqual(0)
    for (const target of importsOf(file)) {
      if (layerOf(target) < layerOf(file)) upward.push(`${file} imports ${target}`)
    }
  }
  expect(upward).toEqual([])
})

test('the explorer runs in a browser: it imports nothing from the gateway, nor the gateway from it', () => {
  const across = [...SOURCES.keys()].flatMap((file) =>
    importsOf(file).filter((target) => file.startsWith('src/explorer/') !== target.startsWith('src/explorer/')),
  )
  expect(across).toEqual([])
})

test('the map of the explorer knows nothing of its views', () => {
  const map = [...SOURCES.keys()].filter((file) => file.startsWith('src/explorer/map/'))
  const others = map.flatMap((file) =>
    importsOf(file).filter((target) => !/^src\/explorer\/(map|shared)\//.test(target)),
  )
  expect(others).toEqual([])
})

test('no file imports itself through others, not even for a type', () => {
  const cycles: string[] = []
  const isDone = new Set<string>()
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (isDone.has(file) || path.includes(file)) return
    for (const target of importsOf(file)) visit(target, [...path, file])
    isDone.add(file)
  }
  for (const file of SOURCES.keys()) visit(file, [])
  expect(cycles).toEqual([])
})

test('the environment is read in one place', () => {
  for (const [file, source] of SOURCES) {
    if (source.includes('process.env')) expect(source, file).toMatch(/readConfig\(process\.env\)/)
  }
})

/** Where the standard streams are used, and why what others wrote can't control a terminal there. */
const STREAMS: Readonly<Record<string, string>> = {
  'src/cli/print.ts: process.stdout': 'escapes',
  'src/cli/print.ts: process.stderr': 'escapes',
  'src/cli/print.ts: process.stdout.isTTY': 'writes nothing',
  'src/cli/confirm.ts: process.stdin': 'reads',
  'src/cli/confirm.ts: process.stderr': 'a question, which it escapes',
  'src/cli/confirm.ts: process.stdin.isTTY': 'writes nothing',
  'src/cli/confirm.ts: process.stderr.isTTY': 'writes nothing',
  'src/cli/import/import.ts: process.stdout.isTTY': 'writes nothing',
  'src/cli/import/import.ts: process.stderr.isTTY': 'writes nothing',
  'src/cli/keys/change.ts: process.stdout.isTTY': 'writes nothing',
  'src/cli/export.ts: process.stdout.isTTY': 'writes nothing',
  'src/cli/export.ts: process.stderr.isTTY': 'writes nothing',
  'src/cli/mirror.ts: process.stderr.isTTY': 'writes nothing',
  'src/cli/program.ts: process.stdout.on': 'errors of the stream',
  'src/cli/program.ts: process.stderr.on': 'errors of the stream',
  'src/gateway/telemetry/log.ts: process.stderr.isTTY': 'writes nothing',
  'src/gateway/telemetry/log.ts: destination: 2': 'the log on a terminal, by pino-pretty',
  'src/gateway/telemetry/log.ts: dest: 2': 'the log, lines of JSON',
}

const STREAM =
  /process\.std(?:in|out|err)(?:\.(?:isTTY|on\b))?|\bconsole\.\w+|\bdest(?:ination)?: [12]\b|\/dev\/(?:std|tty|fd)\w*|\bwriteSync\(|'node:process'/g

test('commands print through one file, which escapes what others wrote', () => {
  const used = [...SOURCES].flatMap(([file, source]) =>
    file.startsWith('src/explorer/') ? [] : [...source.matchAll(STREAM)].map(([use]) => `${file}: ${use}`),
  )
  expect([...new Set(used)].sort()).toEqual(Object.keys(STREAMS).sort())
})

test('a string from outside becomes no part of SQL: that would not compile', () => {
  const given: string = '"; DROP TABLE items; --'
  // @ts-expect-error a session takes no string
  const sent: Parameters<SqlSession['query']>[0] = given
  // @ts-expect-error nor is a string a part of SQL
  expect(sql`SELECT name FROM ${given}`).toContain(sent)
  expect(sql`SELECT name FROM ${quoteName(given)} LIMIT ${10}`).toBe(
    'SELECT name FROM """; DROP TABLE items; --" LIMIT 10',
  )
})

/** What makes SQL of any string, and what sends any string. */
const UNCHECKED_SQL = [
  'src/database/canceller.ts: new pg.Pool',
  'src/database/client.ts: extends pg.Client',
  'src/database/database.ts: new DatabaseClient',
  'src/database/migrate.ts: readSqlFile',
  'src/database/pool.ts: extends DatabaseClient',
  'src/database/pool.ts: extends pg.Pool',
  'src/database/raw-sql.ts: Prisma.raw',
  'src/database/replica-checks.ts: new DatabaseClient',
  'src/sql.ts: as SqlText',
  'src/sql.ts: readSqlFile',
]

const UNCHECKED =
  /\b(?:as SqlText|readSqlFile|(?:new|extends) (?:pg\.)?(?:Client|Pool|DatabaseClient)|Prisma\.raw|new Prisma\.Sql|\w+RawUnsafe)\b/g

test('SQL is unchecked only where this test says', () => {
  const used = [...SOURCES].flatMap(([file, source]) =>
    [...source.matchAll(UNCHECKED)].map(([use]) => `${file}: ${use}`),
  )
  expect([...new Set(used)].sort()).toEqual(UNCHECKED_SQL)
})

test('each test file runs on a database each night, and the lists of suites name files that exist', () => {
  const lists = [ONLY_EMBEDDED, ONLY_POSTGRES, ONLY_AT_NIGHT]
  expect(lists.flat().filter((pattern) => globSync(pattern).length === 0)).toEqual([])
  const filesOf = (patterns: readonly string[]) => new Set(patterns.flatMap((pattern) => globSync(pattern)))
  const onServer = filesOf(leftOut('night', true))
  expect([...filesOf(leftOut('night', false))].filter((file) => onServer.has(file))).toEqual([])
})
