import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFile } from '../../src/rows/formats/readers.ts'
import type { FieldsRow } from '../../src/rows/formats/source.ts'
import { explainProblem, type Problem } from '../../src/rows/problem.ts'
import { styled, xlsx } from '../support/xlsx.ts'

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

test('a cell beside no name in the header has a column only if it has a value', async () => {
  const header = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="str"><v>b</v></c></row>'
  const rows = Array.from({ length: 5000 }, () => '<row><c><v>1</v></c><c><v>2</v></c></row>').join('')
  const part = `<worksheet><sheetData>${header}${rows}</sheetData></worksheet>`
  const found = fieldsOf(await read(xlsx({ A: [] }, { 'xl/worksheets/sheet1.xml': part })))
  expect(found).toHaveLength(5000)
  expect(found.at(-1)).toEqual({ a: 1, b: undefined, 'column 2': 2 })
})

const LONG = 3_000_000
const format = (code: string, styles = 1) => ({
  'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(styles)}</cellXfs></styleSheet>`,
})
const beyond = 'a cell is beyond XFD1048576, the last one that a sheet has'

/**
 * What is small as a file, and what becomes of it: a value, or the reason why it is refused. The parts are made when they are
 * tested: Vitest keeps what a table has, and all of them are 150 MB.
 */
const HOSTILE: readonly [what: string, parts: () => Record<string, string>, reason: string | undefined][] = [
  ['a format of brackets', () => format('['.repeat(LONG)), undefined],
  ['a format of quotes', () => format('&quot;'.repeat(LONG / 10)), undefined],
  ['a format of zeros in each of 10,000 styles', () => format('0'.repeat(LONG), 10_000), undefined],
  ['a long condition', () => format(`[&lt;${'1'.repeat(LONG)}]0`), undefined],
  ['a cell with a long name', () => sheet(`<row><c r="${'1'.repeat(LONG)}A"><v>5</v></c></row>`), beyond],
  ['a cell in a row that no sheet has', () => sheet('<row><c r="A999999999"><v>5</v></c></row>'), beyond],
  ['a row that no sheet has', () => sheet('<row r="999999999"><c><v>5</v></c></row>'), beyond],
  ['a cell without a name after the last', () => sheet(`<row>${'<c/>'.repeat(16_385)}</row>`), beyond],
  [
    'a sheet that is one cell',
    () => sheet('<row><c><v>5</v></c></row>', '<mergeCell ref="A1:XFD1048576"/>'),
    undefined,
  ],
  ['a million merged cells', () => sheet('', '<mergeCell ref="A1:A2"/>'.repeat(1_000_001)), '1000000 cells are merged'],
  ['elements in elements', () => sheet('<a><b/>'.repeat(LONG / 10)), 'more than 100 elements are in each other'],
  ['an entity', () => sheet('<row><c t="str"><v>&a;</v></c></row>'), 'undefined entity'],
  [
    'a row of long texts',
    () => sheet(`<row>${text('x'.repeat(LONG)).repeat(4)}</row>`),
    'a row is longer than 10000000',
  ],
  [
    'a text of 11 MB',
    () => sheet(`<row>${text('x'.repeat(11_000_000))}</row>`),
    'an element is longer than 10000000 characters',
  ],
  [
    'a text of many parts',
    () => ({ 'xl/sharedStrings.xml': `<si>${`<t>${'x'.repeat(LONG)}</t>`.repeat(4)}</si>` }),
    'a text is longer than 10000000',
  ],
  [
    'styles of 100 MB',
    () => ({ 'xl/styles.xml': '<xf/>'.repeat(20_000_001) }),
    'xl/styles.xml is longer than 100000000 bytes',
  ],
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
      parts(),
    )
    expect(content.length).toBeLessThan(200_000)
    const found = await read(content).then(fieldsOf, (error: Error) => error.message)
    if (reason === undefined) expect(found).toHaveLength(1)
    else expect(found).toContain(reason)
  })
})
