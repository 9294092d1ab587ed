import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFile } from '../../src/rows/formats/readers.ts'
import type { FieldsRow } from '../../src/rows/formats/source.ts'
import { explainProblem, type Problem } from '../../src/rows/problem.ts'
import { type Cell, styled, styleSheet, xlsx } from '../support/xlsx.ts'
import FORMATS from './data/formats.json' with { type: 'json' }

let path = ''
beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'catalog-cells-')), 'a.xlsx')
})
afterAll(() => rm(join(path, '..'), { recursive: true }))

async function read(content: Buffer): Promise<{ rows: (FieldsRow | Problem)[]; warnings: string[] }> {
  await writeFile(path, content)
  const warnings: string[] = []
  const rows: (FieldsRow | Problem)[] = []
  for await (const row of readFile({ name: 'a.xlsx', path, dialect: {} })) {
    if ('columns' in row) continue
    if ('reason' in row && row.warns) warnings.push(`${row.line}: ${row.reason}`)
    else rows.push(row)
  }
  return { rows, warnings }
}

const fieldsOf = ({ rows }: { rows: (FieldsRow | Problem)[] }) =>
  rows.map((row) => ('fields' in row ? row.fields : explainProblem(row)))

/** A sheet with this XML as its rows after the header `a`, `b`, and more XML after them. */
const sheet = (rows: string, after = '') => ({
  'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${text('a')}${text('b')}</row>${rows}</sheetData>${after}</worksheet>`,
})
const text = (value: string) => `<c t="str"><v>${value}</v></c>`

describe('A cell of a spreadsheet', () => {
  // LibreOffice shows the same where the value is a text. Quantities keep all digits and no decoration.
  test.each(FORMATS)('$format: $value is $shown', async ({ format, value, shown }) => {
    const content = xlsx(
      {
        A: [
          ['a', 'b'],
          ['x', styled(value, 0)],
        ],
      },
      { 'xl/styles.xml': styleSheet([format]) },
    )
    expect(fieldsOf(await read(content))).toEqual([{ a: 'x', b: shown }])
  })

  test('has a date or a time by its value, if its format is one that each country has in its own way', async () => {
    const styles = `<styleSheet><cellXfs>${[31, 33, 55].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
    const rows = [46_053, 0.5, 46_053.5].map((value, style): Cell[] => ['x', styled(value, style)])
    const found = fieldsOf(await read(xlsx({ A: [['a', 'b'], ...rows] }, { 'xl/styles.xml': styles })))
    expect(found).toMatchObject([{ b: '2026-01-31' }, { b: '12:00' }, { b: '2026-01-31T12:00:00' }])
  })

  test('may have its date as text, as strict spreadsheets do', async () => {
    const dates = ['2026-01-31', '2026-01-31T00:00:00', '2026-01-31T09:30:00.000', 'soon']
    const rows = dates.map((date, n): Cell[] => ['x', { xml: `s="${n === 2 ? 1 : 0}" t="d"><v>${date}</v>` }])
    const styles = { 'xl/styles.xml': styleSheet(['d.m.yyyy', 'd.m.yyyy h:mm']) }
    const found = fieldsOf(await read(xlsx({ A: [['a', 'b'], ...rows] }, styles)))
    expect(found).toMatchObject([{ b: '2026-01-31' }, { b: '2026-01-31' }, { b: '2026-01-31T09:30:00' }, { b: 'soon' }])
  })

  test('that is merged has its value in each of its rows, and in its first column', async () => {
    const rows = [2, 3, 4, 5, 6].map((n) => {
      const seoul = n === 2 ? '<c r="A2" t="str"><v>Seoul</v></c>' : ''
      return `<row r="${n}">${seoul}${n === 6 ? '<c r="A6"><v>6</v></c>' : `<c r="B${n}"><v>${n}</v></c>`}</row>`
    })
    const merges = '<mergeCells><mergeCell ref="A2:A4"/><mergeCell ref="B5:C6"/></mergeCells>'
    const found = fieldsOf(await read(xlsx({ A: [] }, sheet(rows.join(''), merges))))
    expect(found).toEqual([...[2, 3, 4].map((b) => ({ a: 'Seoul', b })), { a: undefined, b: 5 }, { a: 6, b: 5 }])
  })

  test('that is merged over two rows of the header belongs to the header', async () => {
    const header = (row: number, texts: string[]) =>
      `<row r="${row}">${texts.map((value, n) => (value === '' ? '' : `<c r="${'ABC'[n]}${row}" t="str"><v>${value}</v></c>`)).join('')}</row>`
    const merges = '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>'
    const part = `<worksheet><sheetData>${header(1, ['name', 'place'])}${header(2, ['', 'lat', 'lon'])}${header(3, ['A', '1', '2'])}</sheetData>${merges}</worksheet>`
    const found = await read(xlsx({ A: [] }, { 'xl/worksheets/sheet1.xml': part }))
    expect(fieldsOf(found)).toEqual([{ name: 'A', lat: '1', lon: '2' }])
  })

  test('with a formula that was never calculated is empty, and that is said', async () => {
    const formula = (cell: string, rest: string) => `<c r="${cell}"${rest}</c>`
    const rows = [
      `<row r="2">${formula('A2', '><f>1+1</f><v>2</v>')}${formula('B2', '><f>1+1</f><v/>')}</row>`,
      `<row r="3">${formula('A3', ' t="str"><f>""</f><v></v>')}${formula('B3', '><f>1+1</f>')}</row>`,
      `<row r="4">${formula('A4', '><f>1-1</f><v>0</v>')}${formula('B4', '><v>0</v>')}</row>`,
    ].join('')
    const { rows: found, warnings } = await read(xlsx({ A: [] }, sheet(rows)))
    expect(fieldsOf({ rows: found })).toEqual([
      { a: 2, b: undefined },
      { a: 0, b: 0 },
    ])
    expect(warnings).toEqual([
      '2: formulas without a value in the file, which count as empty: 2, the first in B2; open the file in a spreadsheet program and save it',
    ])
    // Writers that store 0 for all formulas say that the file is to be calculated.
    const workbook =
      '<workbook><sheets><sheet name="A" r:id="rId1"/></sheets><calcPr calcId="1" fullCalcOnLoad="1"/></workbook>'
    const other = await read(xlsx({ A: [] }, { ...sheet(rows), 'xl/workbook.xml': workbook }))
    expect(fieldsOf(other).at(-1)).toEqual({ a: undefined, b: 0 })
    expect(other.warnings.join()).toContain('count as empty: 3, the first in B2;')
  })

  test('beside no name in the header has a column only if it has a value', async () => {
    const header = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="str"><v>b</v></c></row>'
    const rows = Array.from({ length: 5000 }, () => '<row><c><v>1</v></c><c><v>2</v></c></row>').join('')
    const part = `<worksheet><sheetData>${header}${rows}</sheetData></worksheet>`
    const found = fieldsOf(await read(xlsx({ A: [] }, { 'xl/worksheets/sheet1.xml': part })))
    expect(found).toHaveLength(5000)
    expect(found.at(-1)).toEqual({ a: 1, b: undefined, 'column 2': 2 })
  })

  test('of spaces is in no row if the others are empty too', async () => {
    expect(
      fieldsOf(
        await read(
          xlsx({
            A: [
              ['a', 'b'],
              [' ', '\u00a0'],
              [' ', 'x'],
            ],
          }),
        ),
      ),
    ).toEqual([{ a: ' ', b: 'x' }])
  })
})

const LONG = 3_000_000
const format = (code: string, styles = 1) => ({
  'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(styles)}</cellXfs></styleSheet>`,
})
const beyond = 'a cell is beyond XFD1048576, the last one that a sheet has'

/** What is small as a file, and what becomes of it: a value, or the reason why it is refused. */
const HOSTILE: readonly [what: string, parts: Record<string, string>, reason: string | undefined][] = [
  ['a format of brackets', format('['.repeat(LONG)), undefined],
  ['a format of quotes', format('&quot;'.repeat(LONG / 10)), undefined],
  ['a format of zeros in each of 10,000 styles', format('0'.repeat(LONG), 10_000), undefined],
  ['a long condition', format(`[&lt;${'1'.repeat(LONG)}]0`), undefined],
  ['a cell with a long name', sheet(`<row><c r="${'1'.repeat(LONG)}A"><v>5</v></c></row>`), beyond],
  ['a cell in a row that no sheet has', sheet('<row><c r="A999999999"><v>5</v></c></row>'), beyond],
  ['a row that no sheet has', sheet('<row r="999999999"><c><v>5</v></c></row>'), beyond],
  ['a cell without a name after the last', sheet(`<row>${'<c/>'.repeat(16_385)}</row>`), beyond],
  ['a sheet that is one cell', sheet('<row><c><v>5</v></c></row>', '<mergeCell ref="A1:XFD1048576"/>'), undefined],
  ['a million merged cells', sheet('', '<mergeCell ref="A1:A2"/>'.repeat(1_000_001)), '1000000 cells are merged'],
  ['elements in elements', sheet('<a><b/>'.repeat(LONG / 10)), 'more than 100 elements are in each other'],
  ['an entity', sheet('<row><c t="str"><v>&a;</v></c></row>'), 'undefined entity'],
  ['a row of long texts', sheet(`<row>${text('x'.repeat(LONG)).repeat(4)}</row>`), 'a row is longer than 10000000'],
  [
    'a text of many parts',
    { 'xl/sharedStrings.xml': `<si>${`<t>${'x'.repeat(LONG)}</t>`.repeat(4)}</si>` },
    'a text is longer than 10000000',
  ],
  ['styles of 100 MB', { 'xl/styles.xml': '<xf/>'.repeat(20_000_001) }, 'xl/styles.xml is longer than 100000000 bytes'],
]

describe('A hostile spreadsheet', () => {
  test.each(HOSTILE)('is read or refused at once: %s', async (_what, parts, reason) => {
    const content = xlsx(
      {
        A: [
          ['a', 'b'],
          ['x', styled(5, 0)],
        ],
      },
      parts,
    )
    expect(content.length).toBeLessThan(200_000)
    const found = await read(content).then(fieldsOf, (error: Error) => error.message)
    if (reason === undefined) expect(found).toHaveLength(1)
    else expect(found).toContain(reason)
  })
})
