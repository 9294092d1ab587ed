import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../src/catalog/export-formats.ts'
import { ITEM_FILTERS } from '../src/catalog/filters.ts'
import { ERRORS } from '../src/errors/errors.ts'
import { ROW_FIELDS } from '../src/rows/parse-item.ts'
import { ALL_PAGES, codeIn, PAGES, type Page } from './support/documentation.ts'
import { CHECKOUT } from './support/process.ts'

/*
 * The documentation names nothing that does not exist: no page, no heading, no file, no setting, no option.
 */

const read = (path: string) => readFileSync(`${CHECKOUT}${path}`, 'utf8')
/** test/readme.isolated.test.ts removes these files while this test runs. */
const WRITTEN_BY_README_TEST = 'test/clients/readme-*.ts'
const sources = (pattern: string) =>
  globSync(pattern, { cwd: CHECKOUT, exclude: ['src/generated/**', WRITTEN_BY_README_TEST] })
    .map(read)
    .join('\n')

/** The settings of src/config/config.ts, and those of OpenTelemetry in telemetry.ts there. */
const SETTINGS = [
  ...[...read('src/config/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name),
  ...[...read('src/config/telemetry.ts').matchAll(/[`'](OTEL_[\w${}]+)[`']/g)].flatMap(([, name = '']) =>
    name.includes('$') ? ['TRACES', 'METRICS', 'LOGS'].map((signal) => name.replace(/\$\{\w+\}/, signal)) : name,
  ),
]

const each = (pages: readonly Page[]) => pages.map((page) => [page.path, page] as const)

test.each(each(ALL_PAGES))('every link of %s leads to a file and a heading that exist', (path, { text }) => {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]+`/g, '')
  const broken = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => {
      const [file = '', heading] = target.split('#')
      const found = file === '' ? path : join(dirname(path), file)
      if (!existsSync(`${CHECKOUT}${found}`)) return true
      return heading !== undefined && !headingsOf(read(found)).includes(heading)
    })
  expect(broken).toEqual([])
})

/** The anchors that GitHub gives to headings. */
function headingsOf(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  return headings.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(each(ALL_PAGES))('every file of this repository that %s names exists', (_path, page) => {
  const named = codeIn(page).flatMap(
    (code) => code.match(/(?<![\w./])(src|test|prisma|docs|\.ci)\/[\w./*-]*[\w*/]/g) ?? [],
  )
  const missing = named.filter((name) => globSync(name, { cwd: CHECKOUT }).length === 0)
  expect(missing).toEqual([])
})

test('every file that a comment of the source names exists', () => {
  const files = globSync('{src,test,prisma}/**/*.{ts,tsx}', { cwd: CHECKOUT }).map((file) => `/${file}`)
  const stale = globSync('src/**/*.{ts,tsx}', { cwd: CHECKOUT, exclude: ['src/generated/**'] }).flatMap((file) => {
    const comments = read(file).match(/\/\*.*?\*\/|^\s*\/\/.*$/gms) ?? []
    const named = comments.flatMap((comment) => comment.match(/(?<![\w./-])[\w-][\w./-]*\.tsx?\b/g) ?? [])
    return named.filter((name) => !files.some((known) => known.endsWith(`/${name}`))).map((name) => `${file}: ${name}`)
  })
  expect(stale).toEqual([])
})

const code = sources('{src,test}/**/*.ts') + sources('{compose.yaml,package/executable.cjs,prisma/generate.js}')

test.each(each(ALL_PAGES))('every setting that %s names exists', (_path, page) => {
  const named = codeIn(page).flatMap((line) => line.match(/(?<![\w$])[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+(?!\w)/g) ?? [])
  // OpenTelemetry reads these itself.
  const known = (name: string) => name.startsWith('OTEL_') || new RegExp(`\\b${name}\\b`).test(code)
  expect([...new Set(named)].filter((name) => !known(name))).toEqual([])
})

const commands = sources('src/cli/**/*.ts')

test.each(each(ALL_PAGES))('every command and option of `catalog` that %s names exists', (_path, page) => {
  const named = codeIn(page).flatMap((line) =>
    [...line.matchAll(/(?:catalog|src\/cli\.ts) ([a-z]+.*)/g)].map(([, rest = '']) => rest),
  )
  const words = named.flatMap((rest) => rest.split(/[|>&#]/)[0]?.split(' ') ?? [])
  const options = words.filter((word) => /^--[a-z-]+$/.test(word) && word !== '--help')
  const missing = options.filter((option) => !commands.includes(`'${option}`))
  expect(missing).toEqual([])
  const names = named.map((rest) => rest.split(' ')[0] ?? '')
  expect(names.filter((name) => !commands.includes(`'${name}'`) && name !== 'completion')).toEqual([])
})

test('the page on REST has every error code', () => {
  const page = PAGES.find(({ path }) => path === 'docs/rest.md')
  expect(Object.keys(ERRORS).filter((code) => !page?.text.includes(`\`${code}\``))).toEqual([])
})

test('the page on imports has every field of a row', () => {
  const page = PAGES.find(({ path }) => path === 'docs/importing.md')
  expect(ROW_FIELDS.filter((field) => !page?.text.includes(`\`${field}\``))).toEqual([])
})

test.each(['docs/graphql.md', 'docs/ogc.md', 'docs/tiles.md', 'docs/exports.md'])('%s has every filter', (path) => {
  const page = PAGES.find((each) => each.path === path)
  expect(ITEM_FILTERS.filter((filter) => !page?.text.includes(`\`${filter}\``))).toEqual([])
})

test('the page on exports has every format', () => {
  const page = PAGES.find(({ path }) => path === 'docs/exports.md')
  expect(EXPORT_FORMATS.filter(({ name }) => !page?.text.includes(`\n| \`${name}\` | `))).toEqual([])
})

test('the page on the command line has every command', () => {
  const page = codeIn({ path: '', text: read('docs/command-line.md') }).join('\n')
  const commands = sources('src/cli/**/*.ts').matchAll(/new CatalogCommand\('(\w+)'\)/g)
  expect([...commands].map(([, name = '']) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual(
    [],
  )
})

test.each(each(ALL_PAGES))('every metric that %s names exists', (_path, page) => {
  const code = sources('src/gateway/telemetry/*.ts')
  const named = codeIn(page).flatMap((line) => line.match(/\b[a-z]+(?:_[a-z]+)*_(?:total|seconds)\b/g) ?? [])
  expect(named.filter((name) => !code.includes(`'${name}'`))).toEqual([])
})

test('the page on configuration and .env.example have every setting, and no other', () => {
  const page = PAGES.find(({ path }) => path === 'docs/configuration.md')
  const rows = page?.text.split('\n').filter((line) => line.startsWith('| `')) ?? []
  const documented = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  )
  const examples = [...read('.env.example').matchAll(/^# ?([A-Z_]+)=/gm)].map(([, name]) => name)
  expect(SETTINGS.length).toBeGreaterThan(20)
  expect(documented.toSorted()).toEqual(SETTINGS.toSorted())
  expect(examples.toSorted()).toEqual(SETTINGS.toSorted())
})

test('the scripts that the pages name are those of package.json', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const known = new Set([
    ...Object.keys(scripts),
    'ci',
    'run',
    'install',
    'prune',
    'init',
    'pack',
    'version',
    'sbom',
    'publish',
    'audit',
  ])
  const named = ALL_PAGES.flatMap(codeIn).flatMap((line) =>
    [...line.matchAll(/\bnpm (?:run )?([a-z]+)/g)].map(([, name = '']) => name),
  )
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
  expect(read('README.md')).toContain('npm ci && npm start')
  expect(read('README.md')).toContain('\n    npm test\n')
  // A second `npm ci` would delete the modules of the running gateway.
  expect(read('README.md').match(/npm ci &&/g)).toHaveLength(1)
})

test('llms.txt has each page, and no others', () => {
  const named = [...read('llms.txt').matchAll(/\]\((.+?\.md)\)/g)].map(([, path]) => path)
  const pages = PAGES.map(({ path }) => path).filter((path) => !/decisions\/\d/.test(path))
  expect(named.toSorted()).toEqual([...pages, 'CONTRIBUTING.md'].toSorted())
})

test('the README stays short', () => {
  const lines = read('README.md').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(130)
  expect(lines.filter((line) => line.length > 160)).toEqual([])
})
