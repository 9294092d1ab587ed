import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { importManifest } from '../../src/import/import.ts'
import { initManifest } from '../../src/init/init-manifest.ts'
import { csv, type Files, HEADER, point, row, useImporter } from '../support/import.ts'
import { xlsx } from '../support/xlsx.ts'

const t = useImporter()

type Entry = { file: string } & Record<string, unknown>

const A = 'a,Größe,11,x,37.5,127'
const KOREAN = 'a,부산타워 전망대,11,x,37.5,127'
const METRES = 'a,A,11,x,5334780.03,691603.03'
const semicolons = (text: string) => text.replaceAll(',', ';')
const feature = (latitude: unknown, longitude: unknown) => ({
  ...point([], row()),
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
})
const utf16 = (text: string, encoding = 'utf-16le') => iconv.encode(text, encoding, { addBOM: true })

/**
 * What is strange, the files, their entry if they need one, the message, and the right files where the message asks to correct them. All
 * other remedies are applied as the message has them.
 */
const STRANGE: readonly [what: string, files: Files, entry: object, reason: string, corrected?: Files][] = [
  [
    'Windows-1252',
    { 'a.csv': iconv.encode(csv(A), 'windows-1252') },
    {},
    'a.csv: is not UTF-8, at line 2; in the manifest, add "encoding": "windows-1252"',
  ],
  ['CP949', { 'a.csv': iconv.encode(csv(KOREAN), 'cp949') }, {}, 'add "encoding": "cp949" to the entry of a.csv'],
  [
    'CP949 after thousands of rows of ASCII',
    {
      'a.csv': iconv.encode(
        csv(...Array.from({ length: 2_000 }, (_, n) => `${n},${'A'.repeat(99)},11,x,1,2`), KOREAN),
        'cp949',
      ),
    },
    {},
    'at line 2002; in the manifest, add "encoding": "cp949"',
  ],
  [
    'Shift_JIS',
    { 'a.csv': iconv.encode(csv('a,東京タワー展望台,13,x,35.6,139.7'), 'shift_jis') },
    {},
    'add "encoding": "shift_jis"',
  ],
  ['UTF-16 of Excel, called Unicode text', { 'a.txt': utf16(csv(A)) }, {}, 'add "encoding": "utf-16le"'],
  ['UTF-16BE', { 'a.csv': utf16(csv(A), 'utf-16be') }, {}, 'add "encoding": "utf-16be"'],
  [
    'UTF-8 that is said to be CP949',
    { 'a.csv': csv(KOREAN, 'b,해운대 해수욕장,11,x,1,2') },
    { encoding: 'cp949' },
    'a.csv: is not CP949 but UTF-8; in the manifest, change "encoding" to "utf-8"',
  ],
  [
    'UTF-8 with a byte order mark that is said to be Windows-1252',
    { 'a.csv': `\ufeff${csv(A)}` },
    { encoding: 'windows-1252' },
    'change "encoding" to "utf-8"',
  ],
  [
    'two encodings in one file',
    { 'a.csv': Buffer.concat([Buffer.from(csv(A)), iconv.encode('b,Straße,11,x,1,2\n', 'windows-1252')]) },
    {},
    'a.csv: is not UTF-8, at line 3, but other lines are; correct it, or drop the wrong bytes: iconv',
  ],
  [
    'semicolons',
    { 'a.csv': semicolons(csv(A)) },
    {},
    'separated by semicolons, not by commas; in the manifest, add "delimiter": ";"',
  ],
  ['tabs', { 'a.tsv': csv(A).replaceAll(',', '\t') }, {}, 'add "delimiter": "\\t"'],
  ['tildes', { 'a.csv': csv(A).replaceAll(',', '~') }, {}, 'separated by tildes, not by commas; in the manifest'],
  ['UTF-32', { 'a.csv': iconv.encode(csv(A), 'utf-32be') }, {}, 'is not UTF-8 but UTF-32BE; in the manifest, add'],
  ['vertical bars', { 'a.csv': csv(A).replaceAll(',', '|') }, {}, 'add "delimiter": "|"'],
  ['commas that are said to be semicolons', { 'a.csv': csv(A) }, { delimiter: ';' }, 'change "delimiter" to ","'],
  [
    'the line sep=; and a manifest that says tabs',
    { 'a.csv': `sep=;\n${semicolons(csv(A))}` },
    { delimiter: '\t' },
    'change "delimiter" to ";"',
  ],
  [
    'decimal commas',
    { 'a.csv': semicolons(csv('a;A;11;x;37,5;127,1')).replaceAll('37;5;127;1', '37,5;127,1') },
    { delimiter: ';' },
    'latitude must be a decimal number; if its comma is a decimal sign, in the manifest, add "decimal": ","',
  ],
  [
    'UTM in CSV',
    { 'a.csv': csv(METRES) },
    {},
    'latitude is no number of degrees; if it is metres, in the manifest, add "crs": "EPSG:…"',
  ],
  [
    'UTM in GeoJSON',
    { 'a.geojson': JSON.stringify({ features: [feature(5334780, 691603)] }) },
    {},
    'add "crs": "EPSG:…"',
  ],
  [
    'a GeoJSON that names its system too late',
    {
      'a.geojson': JSON.stringify({
        features: [feature(5334780, 691603)],
        crs: { properties: { name: 'EPSG:25832' } },
      }),
    },
    {},
    'add "crs": "EPSG:25832"',
  ],
  [
    'a GeoJSON that names another system than the manifest',
    {
      'a.geojson': JSON.stringify({
        crs: { properties: { name: 'EPSG:25832' } },
        features: [feature(5334780, 691603)],
      }),
    },
    { crs: 'EPSG:25833' },
    'change "crs" to "EPSG:25832"',
  ],
  [
    'a spreadsheet that is called CSV',
    { 'a.csv': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', 1, 2]] }) },
    {},
    'a.csv: is a ZIP archive or a spreadsheet; if it is a spreadsheet, name it a.xlsx',
  ],
  ['CSV that is called a spreadsheet', { 'a.xlsx': csv(A) }, {}, 'is no spreadsheet; if it is text, name it a.csv'],
  ['CSV that is called packed', { 'a.csv.gz': csv(A) }, {}, 'if it is not packed, name it a.csv;'],
  [
    'packed CSV that is not called so',
    { 'a.csv': gzipSync(csv(A)) },
    {},
    'a.csv: is packed with gzip; name it a.csv.gz',
  ],
  ['a sheet in CSV', { 'a.csv': csv(A) }, { sheet: 'A' }, 'a.csv: has no "sheet"; remove it from its entry'],
  [
    'an old spreadsheet',
    { 'a.csv': Buffer.from('d0cf11e0a1b11ae1', 'hex') },
    {},
    'is an old Excel file (.xls); open it and save it as a.xlsx',
    { 'a.xlsx': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', 1, 2]] }) },
  ],
  [
    'gzip that is cut short',
    { 'a.csv.gz': gzipSync(csv(A)).subarray(0, 30) },
    {},
    'it is cut short, so fetch it again',
    { 'a.csv.gz': gzipSync(csv(A)) },
  ],
  [
    'text that ends inside a character',
    { 'a.csv': Buffer.from(csv('a,A,11,x,1,2', 'b,가')).subarray(0, -2) },
    {},
    'it ends inside a character; fetch it again',
    { 'a.csv': csv(A) },
  ],
  [
    'a column that stands twice',
    { 'a.csv': `${HEADER},name\na,A,11,x,1,2,B\n` },
    {},
    'has the column "name" twice; rename one of the two in the file',
    { 'a.csv': `${HEADER},name2\na,A,11,x,1,2,B\n` },
  ],
  [
    'a column that stands twice in a spreadsheet',
    {
      'a.xlsx': xlsx({
        A: [
          [...HEADER.split(','), 'name'],
          ['a', 'A', '11', 'x', 1, 2],
        ],
      }),
    },
    {},
    'A!A1: the header has the column "name" twice; rename one',
    { 'a.xlsx': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', 1, 2]] }) },
  ],
  [
    'a header of merged cells',
    {
      'a.xlsx': xlsx({
        A: [['Place', undefined, 'Codes'], HEADER.split(',').slice(0, 6), ['a', 'A', '11', 'x', 1, 2]],
      }),
    },
    {},
    'name the column, or clear the cell: A!D2',
    { 'a.xlsx': xlsx({ A: [['Place'], HEADER.split(','), ['a', 'A', '11', 'x', 1, 2]] }) },
  ],
  [
    'an error of a formula',
    { 'a.xlsx': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', { xml: 't="e"><v>#DIV/0!</v>' }, 2]] }) },
    {},
    'latitude is required: A!E2',
    { 'a.xlsx': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', 1, 2]] }) },
  ],
  [
    'a GeoPackage',
    { 'a.gpkg': 'SQLite format 3\0' },
    {},
    'convert it with GDAL: ogr2ogr -t_srs EPSG:4326 a.geojson a.gpkg',
    { 'a.geojson': JSON.stringify({ features: [feature(1, 2)] }) },
  ],
]

/** Changes what a message tells to change. */
async function applyRemedy(message: string, files: Files, entry: Entry): Promise<{ files: Files; entry: Entry }> {
  const [, member, value] = /(?:add|change) "(\w+)"(?::| to) ("(?:[^"\\]|\\.)*")/.exec(message) ?? []
  if (member !== undefined && value !== undefined) {
    // The message can't know which system it is. The source of the file does.
    return { files, entry: { ...entry, [member]: JSON.parse(value.replace('EPSG:…', 'EPSG:25832')) } }
  }
  const [, name] = /name it (\S+?)(?:;|$)/.exec(message) ?? []
  if (name !== undefined) return { files: { [name]: files[entry.file] ?? '' }, entry: { ...entry, file: name } }
  if (message.includes('remove it from its entry')) return { files, entry: { file: entry.file } }
  const [, command] = /: (iconv .*) > FILE$/.exec(message) ?? []
  if (command === undefined) throw new Error(`No remedy: ${message}`)
  const folder = await mkdtemp(join(tmpdir(), 'catalog-strange-'))
  await writeFile(join(folder, entry.file), files[entry.file] ?? '')
  // iconv drops the wrong bytes, and ends with 1 to say so.
  execFileSync('sh', ['-c', `${command} > fixed || true`], { cwd: folder })
  return { files: { [entry.file]: await readFile(join(folder, 'fixed')) }, entry }
}

describe('A strange file is refused with a remedy that works:', () => {
  test.each(STRANGE)('%s', async (_what, files, dialect, reason, corrected) => {
    const [file = ''] = Object.keys(files)
    const entry: Entry = { file, ...dialect }
    const message = await t.importer.fail(files, { items: [entry] })
    expect(message).toContain(reason)
    expect(await t.db.database.prisma.dataset.count()).toBe(0)
    const remedied = corrected
      ? { files: corrected, entry: { ...entry, file: Object.keys(corrected)[0] ?? '' } }
      : await applyRemedy(message, files, entry)
    expect(await t.importer.fail(remedied.files, { items: [remedied.entry] })).toMatch(
      /^loaded .*"skipped":0,"unidentified":0}$/,
    )
  })
})

describe('A strange file is read as it is:', () => {
  test.each<[string, Files]>([
    ['with a byte order mark', { 'a.csv': `\ufeff${csv(A)}` }],
    ['with the line sep=;', { 'a.csv': `sep=;\r\n${semicolons(csv(A))}` }],
    ['with the line "sep=|"', { 'a.csv': `"sep=|"\n${csv(A).replaceAll(',', '|')}` }],
    ['with empty names and cells at the end of each line', { 'a.csv': `${HEADER},,,\n${A},,,\n` }],
    ['with line ends of Windows and empty lines', { 'a.csv': csv(A, '', '').replaceAll('\n', '\r\n') }],
    ['with the words sep= in a name', { 'a.csv': csv('a,sep=;,11,x,1,2') }],
    [
      'in UTF-8 whose characters are cut by the parts that are read',
      {
        'a.csv': csv(
          `a,${'가'.repeat(400)},11,x,1,2`,
          ...Array.from({ length: 500 }, (_, n) => `${n},${'나'.repeat(399)},11,x,1,2`),
        ),
      },
    ],
  ])('%s', async (_what, files) => {
    expect(await t.importer.fail(files)).toMatch(/^loaded .*"skipped":0,"unidentified":0}$/)
  })

  test('with 100,000 columns', async () => {
    const names = Array.from({ length: 100_000 }, (_, n) => `c${n}`)
    const file = `${HEADER},${names.join()}\na,A,11,x,1,2,${names.join()}\n`
    const columns = Object.fromEntries(HEADER.split(',').map((name) => [name, name]))
    expect(await t.importer.fail({ 'a.csv': file }, { items: [{ file: 'a.csv', columns }] })).toContain('"created":1')
  })
})

test('a million columns are refused in bounded time, and an error lists the first of them', async () => {
  const names = Array.from({ length: 1_000_000 }, (_, n) => `c${n}`).join()
  const message = await t.importer.fail({ 'a.csv': `name,${names}\n1,${names}\n` })
  expect(message).toContain('has no column for administrativeAreaCode')
  expect(message.length).toBeLessThan(1_000)
})

test('a manifest may name any file, and no line of one that is no data is shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-links-'))
  const secrets = ['hunter1,hunter2,hunter3', 'hunter1', '{"hunter1": hunter2', 'hunter1;hunter2;hunter3']
  for (const [index, secret] of secrets.entries()) {
    await writeFile(join(folder, 'secret'), `${secret}\n${secret}\n`)
    for (const ending of ['csv', 'ndjson', 'geojson', 'xlsx', 'csv.gz']) {
      const file = join(folder, `link-${index}.${ending}`)
      await symlink(join(folder, 'secret'), file)
      const columns = { name: 'name', latitude: 'lat' }
      const labels = { categoryCode: { file, columns: { code: 'code', label: 'label' } } }
      for (const options of [{ items: [{ file }] }, { items: [{ file, columns }] }, { items: [], labels }]) {
        for (const skipInvalid of [false, true]) {
          const message = await t.importer.fail({}, { ...options, skipInvalid })
          const { warnings, skipped } = t.importer.reported
          expect(message + JSON.stringify([warnings, skipped])).not.toContain('hunter')
        }
      }
    }
  }
})

test('150,000 bad rows are named by their reason', async () => {
  // All of them at once would be too many arguments for a function.
  const rows = Array.from({ length: 150_000 }, (_, n) => `a${n},A,11,x,1,2,b${n}`)
  const message = await t.importer.fail({ 'a.csv': [`${HEADER},parentExternalId`, ...rows].join('\n') })
  expect(message).toContain('150000 rows')
  expect(message).toContain('a.csv:2: the parent is not there: b0')
})

describe('What is no regular file is refused at once:', () => {
  const makePipe = (path: string) => execFileSync('mkfifo', [path])
  test.each<[string, string, (path: string) => unknown, string]>([
    ['a pipe', 'ndjson', makePipe, 'is a pipe, and an import reads its files twice; save the data as a file'],
    ['a pipe of CSV', 'csv', makePipe, 'is a pipe, and'],
    ['a pipe that is packed', 'csv.gz', makePipe, 'is a pipe, and'],
    ['a pipe of a spreadsheet', 'xlsx', makePipe, 'is a pipe, and'],
    ['a link to an endless device', 'geojson', (path) => symlink('/dev/zero', path), 'is a device, and'],
    ['a folder', 'csv', (path) => mkdir(path), 'is a folder; name a file in it'],
  ])('%s', async (_what, ending, make, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-pipes-'))
    const file = join(folder, `a.${ending}`)
    await make(file)
    expect(await t.importer.fail({}, { items: [{ file }] })).toContain(`${file}: ${reason}`)
    const labels = { categoryCode: { file, columns: { code: 'code', label: 'label' } } }
    expect(await t.importer.fail({}, { items: [], labels })).toContain(reason)
    await expect(initManifest(file)).rejects.toThrow(reason)
    await expect(importManifest(t.db.database, file, { keepMissing: false, skipInvalid: false })).rejects.toThrow(
      reason,
    )
  })
})
