import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** A request flows down this list, and so do imports; errors, config and what is generated are for all. */
const LAYERS = [
  'explorer',
  'cli',
  'server',
  'mcp',
  'ogc',
  'rest',
  'graphql',
  'sample',
  'auth',
  'import',
  'catalog',
  'database',
  'embedded',
  'fairness',
  'tracing',
  'config',
  'base-maps',
  'query-string',
  'nearest-name',
  'errors',
  'contact',
  'json',
  'deprecations',
  'version',
  'generated',
]

const SOURCES = new Map(
  globSync('src/**/*.ts', { exclude: ['src/generated/**'] }).map((file) => [file, readFileSync(file, 'utf8')]),
)

/** The files of src/ that a file imports, for types too. */
function importsOf(file: string): string[] {
  const paths = SOURCES.get(file)?.matchAll(/(?:^(?:import|export)\b[^;'"]*?|\bimport\()\s*['"](\.[^'"]+)['"]/gm) ?? []
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
  'src/cli/export.ts: process.stdout.isTTY': 'writes nothing',
  'src/cli/export.ts: process.stderr.isTTY': 'writes nothing',
  'src/cli/program.ts: process.stdout.on': 'errors of the stream',
  'src/cli/program.ts: process.stderr.on': 'errors of the stream',
  'src/server/telemetry/log.ts: process.stderr.isTTY': 'writes nothing',
  'src/server/telemetry/log.ts: destination: 2': 'the log on a terminal, by pino-pretty',
  'src/server/telemetry/log.ts: dest: 2': 'the log, lines of JSON',
}

const STREAM =
  /process\.std(?:in|out|err)(?:\.(?:isTTY|on\b))?|\bconsole\.\w+|\bdest(?:ination)?: [12]\b|\/dev\/(?:std|tty|fd)\w*|\bwriteSync\(|'node:process'/g

test('commands print through one file, which escapes what others wrote', () => {
  const used = [...SOURCES].flatMap(([file, source]) =>
    file.startsWith('src/explorer/') ? [] : [...source.matchAll(STREAM)].map(([use]) => `${file}: ${use}`),
  )
  expect([...new Set(used)].sort()).toEqual(Object.keys(STREAMS).sort())
})

/** What becomes part of an SQL text, and why it is no value from outside. Values are always parameters. */
const SQL_PARTS: Readonly<Record<string, string>> = {
  'src/catalog/columns.ts: columnName(field)': 'the column names of the datamodel',
  'src/catalog/projection.ts: imageFields([...IMAGE_COLUMNS.keys()])': 'column names of the datamodel',
  'src/catalog/projection.ts: SELECT_LISTS[form](members, more)':
    'SELECT lists, made of constants and column names of the datamodel',
  'src/catalog/sql/export-lines.ts: csvCell(field)': 'an expression over a column name',
  'src/catalog/sql/export-lines.ts: jsonCell(field)': 'an expression over a column name',
  'src/catalog/sql/items.ts: String(MAX_LIMIT + 1)': 'a constant number',
  "src/catalog/sql/offset-bookmarks.ts: toTextExpression('value')": 'an expression from the table of sort orders',
  'src/database/change-feed.ts: echo': 'a constant of change-feed.ts or wire.ts',
  'src/database/change-feed.ts: heartbeat': 'a constant of client.ts or wire.ts',
  'src/database/client.ts: beginSession(this.#settings)': 'constants of session.ts, and a number of the configuration',
  'src/database/database.ts: EXCLUSIVE.begin(`${rows} rows`)': 'a constant of wire.ts and a number',
  'src/database/database.ts: EXCLUSIVE.end': 'a constant of wire.ts',
  'src/database/database.ts: STOP_WITH_CLIENT': 'a constant',
  'src/embedded/postgres-worker.ts: request': 'constants of router.ts and folder-copy.ts',
  'src/embedded/shared-session.ts: sql': 'constants of router.ts and folder-copy.ts',
  'src/embedded/wire.ts: table': 'a word that the client gave as the name of its table',
  'src/embedded/worker.ts: sql': 'constants of folder-copy.ts',
  'src/database/health-checks.ts: sql': 'constants of that file',
  'src/database/log-position.ts: MARK_PRIMARY': 'a constant',
  'src/database/log-position.ts: sql': 'constants of that file',
  'src/database/migrate.ts: MIGRATIONS_TABLE': 'a constant',
  'src/database/migrate.ts: migration.sql': 'the files in prisma/migrations',
  'src/database/objects.ts: OBJECTS': 'constants of that file',
  'src/database/pool.ts: statement': 'passes on what Prisma sends',
  'src/database/sql-reader.ts: { text, values: sql.values, name: nameOf(text), types: ROW_TYPES }':
    'a statement of Prisma.sql',
  'src/cli/export-catalog.ts: CATALOG_LINES[name]': 'one of two constants',
  'src/database/never-prepare.ts: COMMENT': 'a constant',
  'src/import/catalog-folder.ts: columns': 'column names of the database',
  'src/import/catalog-folder.ts: table': 'one of three constants, by its type',
  "src/import/history/apply-before.ts: listOf(columns, 'r')": 'column names of the database',
  'src/import/history/apply-before.ts: namesOf(columns)': 'column names of the database',
  'src/import/history/changed-since.ts: datasetDocument(columns)': 'an expression over column names',
  'src/import/history/changed-since.ts: itemHash(known)': 'an expression over column names',
  'src/import/history/entries.ts: HEAD': 'a constant',
  'src/import/history/entries.ts: WHOLE': 'a constant',
  'src/import/history/entry-changes.ts: sql': 'an expression over column names',
  'src/import/history/record.ts: PART_CHARACTERS': 'a constant number',
  'src/import/history/record.ts: datasetDocument(columns)': 'an expression over column names',
  'src/import/history/record.ts: document': 'an expression over column names',
  'src/import/history/record.ts: kind': 'one of two constants, by its type',
  'src/import/history/record.ts: line': 'an expression over column names',
  'src/import/history/record.ts: touched': 'a constant, with the name of the staging table',
  'src/import/import.ts: items': 'one of two constants, with the name of a temporary table',
  'src/import/import.ts: table': 'the name of the staging table: random hexadecimal digits',
  'src/import/load/cross-row-checks.ts: check(tables())': 'constants of that file, with the name of the staging table',
  'src/import/load/cross-row-checks.ts: stays': 'one of three constants, with the name of the staging table',
  'src/import/load/cross-row-checks.ts: t': 'the name of the staging table',
  'src/import/load/imported-rows.ts: PART_ROWS': 'a constant',
  'src/import/load/imported-rows.ts: gone': 'the name of a temporary table',
  'src/import/load/imported-rows.ts: kept': 'a constant, with the name of a temporary table',
  'src/import/load/imported-rows.ts: table': 'the name of the staging table',
  'src/import/load/kept-items.ts: table': 'the name of the staging table',
  "src/import/load/merge.ts: IMAGE_COLUMN_NAMES.join(', ')": 'column names',
  "src/import/load/merge.ts: ITEM_COLUMN_NAMES.join(', ')": 'column names',
  'src/import/load/merge.ts: STORED_IMAGES': 'a constant',
  "src/import/load/merge.ts: listOf(IMAGE_COLUMN_NAMES, 'image')": 'column names',
  "src/import/load/merge.ts: listOf(ITEM_COLUMN_NAMES, 'i')": 'column names',
  "src/import/load/merge.ts: listOf(ITEM_COLUMN_NAMES, 's')": 'column names',
  'src/import/load/dataset-lock.ts: LOCK_DATASET[use]': 'one of two constants',
  'src/import/load/dataset-lock.ts: LOCK_TABLES': 'a constant',
  'src/import/load/dataset-lock.ts: sql': 'constants of that file, with the name of the staging table',
  "src/import/load/merge.ts: metresBetween(['i.latitude', 'i.longitude'], ['s.latitude', 's.longitude'])":
    'an expression over column names',
  'src/import/load/merge.ts: changes': 'the name of the table of changes',
  'src/import/load/merge.ts: changesOf(table)': 'the name of the table of changes',
  'src/import/load/merge.ts: IMPORTED_COLUMNS.join()': 'column names',
  "src/import/load/merge.ts: listOf(IMPORTED_COLUMNS, 'd')": 'column names',
  "src/import/load/merge.ts: listOf(IMPORTED_COLUMNS, 'n')": 'column names',
  "src/import/update-dataset.ts: listOf(names, 'n')": 'column names',
  'src/import/update-dataset.ts: names.join()': 'column names',
  'src/import/load/merge.ts: removed': 'one of two constants, with the name of the staging table',
  "src/import/load/merge.ts: reported('s.nth')": 'a condition over a column name',
  'src/import/load/merge.ts: table': 'the name of the staging table',
  'src/import/load/part-checks.ts: sql': 'constants of that file, with the name of the staging table',
  'src/import/load/planned-changes.ts: datasetDocument(columns)': 'an expression over column names',
  'src/import/load/planned-changes.ts: sql': 'column names, with the name of the staging table',
  'src/import/load/renumbered-images.ts: table': 'the name of the staging table',
  'src/import/load/row-reports.ts: CREATE_REPORT': 'a constant',
  "src/import/load/staging.ts: ITEM_COLUMN_NAMES.join(', ')": 'column names',
  'src/import/load/staging.ts: gone': 'the name of a temporary table',
  'src/import/load/staging.ts: table': 'the name of the staging table',
}

test('SQL consists of constants and of the parts that this test lists', () => {
  const parts = [...SOURCES].flatMap(([file, source]) => sqlPartsOf(source).map((part) => `${file}: ${part}`))
  expect([...new Set(parts)].sort()).toEqual(Object.keys(SQL_PARTS).sort())
})

/** What is not constant in the first arguments of `.query()`, `Prisma.raw()` and their like. Tagged templates are safe. */
function sqlPartsOf(source: string): string[] {
  const calls = source.matchAll(/(?:\.query|Prisma\.raw|new Prisma\.Sql|RawUnsafe)(?:<[^()]*>)?\(\s*/g)
  return [...calls].flatMap((call) => {
    const rest = source.slice(call.index + call[0].length)
    if (rest.startsWith("'")) return []
    if (!rest.startsWith('`')) return [expressionAt(rest)]
    const text = rest.slice(1, endOf(rest, 1, '`'))
    const parts: string[] = []
    for (let start = text.indexOf('${'); start >= 0; start = text.indexOf('${', start + 2)) {
      parts.push(text.slice(start + 2, endOf(text, start + 2, '}')))
    }
    return parts
  })
}

const expressionAt = (text: string) => text.slice(0, Math.min(endOf(text, 0, ','), endOf(text, 0, ')'))).trim()

/** Where a character stands outside of brackets, from a start on. */
function endOf(text: string, start: number, end: string): number {
  let depth = 0
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (depth === 0 && character === end) return index
    if ('({['.includes(character)) depth += 1
    if (')}]'.includes(character)) depth -= 1
  }
  return text.length
}
