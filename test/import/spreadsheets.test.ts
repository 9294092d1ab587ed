import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { initManifest } from '../../src/import/init/init-manifest.ts'
import { useImporter } from '../support/import.ts'
import { type Cell, styled, xlsx, zip } from '../support/xlsx.ts'

const t = useImporter()

const HEADER = ['externalId', 'name', 'administrativeAreaCode', 'categoryCode', 'latitude', 'longitude']
const SHEET = '<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets>'
const cells = (...more: Cell[]): Cell[] => ['a', 'A', '11', 'x', 37.566499999999998, 127, ...more]
const items = () => t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })

describe('A spreadsheet', () => {
  test('is read: its first sheet, or the one that the manifest names, after the title above the header', async () => {
    const file = xlsx({
      One: [['Places & more'], [], HEADER, cells(), [], cells()],
      Two: [HEADER, ['b', 'B < C', 11, 'y', 1, 2]],
    })
    expect(await t.importer.fail({ 'a.xlsx': file })).toContain('a.xlsx:6: the externalId a stands twice')
    await t.importer.run({ 'a.xlsx': file }, { items: [{ file: 'a.xlsx', sheet: 'Two' }] })
    expect(await items()).toMatchObject([{ name: 'B < C', administrativeAreaCode: '11' }])
    expect(await t.importer.fail({ 'a.xlsx': file }, { items: [{ file: 'a.xlsx', sheet: 'Three' }] })).toBe(
      'a.xlsx: has no sheet "Three"; its sheets are "One", "Two"',
    )
  })

  test('may give the namespace of relations another prefix', async () => {
    const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const list = ['Old', 'New'].map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" rel:id="rId${n + 1}"/>`)
    const file = xlsx(
      { Old: [HEADER, ['a', 'old', '11', 'x', 1, 2]], New: [HEADER, ['a', 'new', '11', 'x', 1, 2]] },
      { 'xl/workbook.xml': `<workbook xmlns:rel="${namespace}"><sheets>${list.join('')}</sheets></workbook>` },
    )
    for (const [sheet, name] of [
      [undefined, 'old'],
      ['New', 'new'],
    ]) {
      await t.importer.run({ 'a.xlsx': file }, { items: [{ file: 'a.xlsx', sheet }] })
      expect(await items()).toMatchObject([{ name }])
    }
  })

  test('has numbers, dates and zeros as people see them', async () => {
    const days = [styled(46_053, 1), styled(46_053.395_833_333_3, 2), styled(0.395_833_333_3, 3), styled(1_069, 4)]
    const others: Cell[] = [
      1.5,
      { xml: 't="b"><v>1</v>' },
      { xml: 't="e"><v>#N/A</v>' },
      'unnamed',
      { xml: 't="inlineStr"><is><r><t>in_x000D_</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is>' },
      'two_x000D_\nlines_x005F_x000D_',
      styled(26.5 / 24, 5),
      { xml: '><v>12345678901234567</v>' },
      { xml: '><v>1e400</v>' },
    ]
    // One column has no name.
    const names = 'day moment time zip number truth error  inline escaped open long great'.split(' ')
    const columns = {
      ...Object.fromEntries(HEADER.map((name) => [name, name])),
      extraAttributes: [...names.filter((name) => name !== ''), 'column 14'],
    }
    const rows = [[...HEADER, ...names], [...cells(...days, ...others)]]
    await t.importer.run({ 'a.xlsx': xlsx({ A: rows }) }, { items: [{ file: 'a.xlsx', columns }] })
    const [item] = await items()
    expect(item?.latitude.toFixed()).toBe('37.5665')
    expect(item?.extraAttributes).toEqual({
      ...{ day: '2026-01-31', moment: '2026-01-31T09:30:00', time: '09:30', zip: '01069' },
      ...{
        number: 1.5,
        truth: 'TRUE',
        inline: 'in\r',
        'column 14': 'unnamed',
        escaped: 'two\r\nlines_x000D_',
        open: '26:30',
        long: '12345678901234567',
        great: '1e400',
      },
    })
    const old = xlsx({ A: rows }, { 'xl/workbook.xml': `<workbook><workbookPr date1904="1"/>${SHEET}</workbook>` })
    await t.importer.run({ 'a.xlsx': old }, { items: [{ file: 'a.xlsx', columns }] })
    expect((await items())[0]?.extraAttributes).toMatchObject({ day: '2030-02-01', time: '09:30' })
  })

  test('names the cell of an error', async () => {
    const rows = [HEADER, cells(), ['b', 'B', '11', 'x', 99, 'east'], ['c', undefined, '11', 'x', 1, 2]]
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ Sheet1: rows }) })).toBe(
      [
        '2 bad rows; nothing was changed',
        'a.xlsx:3: latitude must be from -90 to 90; longitude must be a decimal number (Sheet1!E3, Sheet1!F3)',
        'a.xlsx:4: name is required (Sheet1!B4)',
      ].join('\n'),
    )
    const beyond = xlsx({ A: [HEADER, cells('a note')] })
    expect(await t.importer.fail({ 'a.xlsx': beyond })).toContain(
      'a cell has no column in the header; name the column, or clear the cell (A!G2)',
    )
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ "Anna's list": rows }) })).toContain("('Anna''s list'!B4)")
    const without = { items: [{ file: 'a.xlsx', columns: { name: 'nmae' } }] }
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ A: rows }) }, without)).toContain('a.xlsx: has no column nmae')
  })

  test.each<[string, Buffer, string]>([
    ['that is text', Buffer.from('a;b\n'), 'a.xlsx: is no spreadsheet; if it is text, name it a.csv'],
    ['that is an old one', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'is an old Excel file (.xls) or has a password'],
    ['that is cut short', xlsx({ A: [HEADER, cells()] }).subarray(0, -30), "a.xlsx: can't be read as a spreadsheet"],
    ['that is another archive', zip({ 'a.txt': 'a' }), 'a.xlsx: is not a spreadsheet in the format .xlsx'],
    [
      'without the part of its sheet',
      xlsx({ A: [HEADER, cells()] }, { 'xl/worksheets/sheet1.xml': undefined }),
      'a.xlsx: lacks the rows of its sheet "A"; save it again',
    ],
    [
      'whose list of sheets names another relation',
      xlsx({ A: [HEADER, cells()] }, { 'xl/_rels/workbook.xml.rels': '<Relationships/>' }),
      'a.xlsx: lacks the rows of its sheet "A"; save it again',
    ],
    ['with a column twice', xlsx({ A: [['x', 'x']] }), 'a.xlsx: A!A1: the header has the column "x" twice'],
    [
      'with a cell beyond the last column',
      xlsx(
        { A: [] },
        {
          'xl/worksheets/sheet1.xml':
            '<worksheet><sheetData><row><c r="ZZZZZZ1"><v>1</v></c></row></sheetData></worksheet>',
        },
      ),
      'a row has more than 16384 columns',
    ],
    [
      'with a text of 11 MB',
      xlsx({ A: [HEADER, ['a'.repeat(11_000_000)]] }),
      'an element is longer than 10000000 characters',
    ],
  ])('%s is refused', async (_what, content, reason) => {
    expect(await t.importer.fail({ 'a.xlsx': content })).toContain(reason)
  })

  test('needs two commands: init finds out what it has', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'catalog-init-')), 'a.xlsx')
    await writeFile(
      path,
      xlsx({
        A: [
          ['Name', 'Breitengrad', 'Längengrad'],
          ['A', '48,1', '11,5'],
        ],
      }),
    )
    const { dialect, checked } = await initManifest(path)
    expect([dialect, checked.items[0]?.latitude]).toEqual([{ decimal: ',' }, '48.1'])
  })
})
