import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'
import { useImporter } from '../support/import.ts'
import { type Cell, partsOf, relation, styled, styleSheet, xlsx, zip } from '../support/xlsx.ts'

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
    expect(await t.importer.fail({ 'a.xlsx': file })).toContain('a.xlsx:6: same externalId as line 4: a')
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

  test('has numbers where numbers are wanted, and codes in all other fields', async () => {
    const formats = ['General', '00', '0" m"', '00000;@', `00"°"00"'"00\\""S"`]
    const names = ['zip', 'height', 'floor']
    const [lat, height, zip, lon] = [styled(73_000, 4), styled(120, 2), styled(2139, 3), styled(5, 2)]
    const rows = [
      [...HEADER, ...names],
      [zip, 'A', styled(1, 1), 'x', lat, lon, zip, height, height],
      [styled(2140, 3), 'B', styled(1, 1), 'x', lat, styled(500, 2), zip, height, height],
    ]
    const file = xlsx({ A: rows }, { 'xl/styles.xml': styleSheet(formats) })
    const columns = {
      ...Object.fromEntries(HEADER.map((name) => [name, name])),
      extraAttributes: ['zip', 'height', { column: 'floor', type: 'number' }],
    }
    await t.importer.run({ 'a.xlsx': file }, { items: [{ file: 'a.xlsx', columns }], skipInvalid: true })
    const [item, ...others] = await items()
    expect(others).toEqual([])
    expect([item?.latitude.toFixed(), item?.longitude.toFixed()]).toEqual(['-7.5', '5'])
    expect(item).toMatchObject({ externalId: '02139', administrativeAreaCode: '01' })
    expect(item?.extraAttributes).toEqual({ zip: '02139', height: '120 m', floor: 120 })
    expect(t.importer.reported.skipped).toMatchObject([
      { reason: expect.stringContaining('longitude must be from -180') },
    ])
  })

  test('names the cell of an error', async () => {
    const rows = [HEADER, cells(), ['b', 'B', '11', 'x', 99, 'east'], ['c', undefined, '11', 'x', 1, 2]]
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ Sheet1: rows }) })).toBe(
      [
        '2 bad rows; nothing was changed',
        'a.xlsx:3: longitude must be a decimal number: east (Sheet1!F3)',
        'a.xlsx:4: name is required: Sheet1!B4',
      ].join('\n'),
    )
    const beyond = xlsx({ A: [HEADER, cells('a note')] })
    expect(await t.importer.fail({ 'a.xlsx': beyond })).toContain(
      'a cell has no column in the header; name the column, or clear the cell: A!G2',
    )
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ "Anna's list": rows }) })).toContain(
      "name is required: 'Anna''s list'!B4",
    )
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
      'a cell is beyond XFD1048576, the last one that a sheet has',
    ],
    [
      'with a text of 11 MB',
      xlsx({ A: [HEADER, ['a'.repeat(11_000_000)]] }),
      'an element is longer than 10000000 characters',
    ],
  ])('%s is refused', async (_what, content, reason) => {
    expect(await t.importer.fail({ 'a.xlsx': content })).toContain(reason)
  })

  test('is found by the relations of its parts, in whatever folder and case they are', async () => {
    const file = (parts: Record<string, string | undefined>) => xlsx({ A: [HEADER, cells()] }, parts)
    const own = partsOf({ A: [HEADER, cells()] })
    const rels = (...list: string[]) => `<Relationships>${list.join('')}</Relationships>`
    const moved = {
      'XL/Workbook22.xml': own['xl/workbook.xml'],
      'xl/workbook.xml': undefined,
      '_rels/.rels': rels(relation('a', 'officeDocument', '/xl/workbook22.xml')),
      'xl/_rels/workbook22.xml.rels': rels(
        relation('rId1', 'worksheet', '../Data/./sheet.xml'),
        relation('b', 'sharedStrings', '..\\xl\\SHAREDstrings.xml'),
      ),
      'xl/_rels/workbook.xml.rels': undefined,
      'data/Sheet.xml': own['xl/worksheets/sheet1.xml'],
      'xl/worksheets/sheet1.xml': undefined,
    }
    const strict = Object.fromEntries(
      Object.entries(own).map(([name, xml]) => [
        name,
        xml
          .replaceAll(
            'http://schemas.openxmlformats.org/officeDocument/2006/',
            'http://purl.oclc.org/ooxml/officeDocument/',
          )
          .replace(/<(\/?)(?!Relationship)(?=\w)/g, '<$1x:'),
      ]),
    )
    for (const parts of [moved, strict]) {
      await t.db.database.prisma.dataset.deleteMany()
      await t.importer.run({ 'a.xlsx': file(parts) })
      expect(await items()).toMatchObject([{ name: 'A' }])
    }
    const lacking = file({ 'xl/sharedStrings.xml': undefined })
    expect(await t.importer.fail({ 'a.xlsx': lacking })).toContain(
      'it lacks its part xl/sharedStrings.xml; save it again',
    )
    const empty = file({ 'xl/sharedStrings.xml': '<sst/>' })
    expect(await t.importer.fail({ 'a.xlsx': empty })).toContain('it lacks a text of its cells; save it again')
  })
})

describe('Of several sheets', () => {
  const row = (name: string): Cell[] => ['a', name, '11', 'x', 1, 2]
  const SHEETS = { Old: [HEADER, row('old')], New: [HEADER, row('new')], Notes: [['Made by us']], Chart: [] }
  /** The list of the sheets, whose elements have these attributes. */
  const workbook = (...attributes: string[]) => ({
    'xl/workbook.xml': `<workbook><sheets>${Object.keys(SHEETS)
      .map((name, n) => `<sheet name="${name}" r:id="rId${n + 1}" ${attributes[n] ?? ''}/>`)
      .join('')}</sheets></workbook>`,
  })

  test.each([
    ['the first visible one is read: one is hidden', ['state="hidden"'], 'new'],
    ['the first visible one is read: one is very hidden', ['state="veryHidden"'], 'new'],
    ['the first visible one is read: all others are hidden', ['', 'state="hidden"', 'state="hidden"'], 'old'],
  ])('%s', async (_what, attributes, name) => {
    await t.importer.run({ 'a.xlsx': xlsx(SHEETS, workbook(...attributes)) })
    expect(await items()).toMatchObject([{ name }])
    expect(t.importer.reported.warnings).toEqual([])
  })

  test('a chart is none', async () => {
    const chart = relation('rId1', 'chartsheet', 'chartsheets/sheet1.xml')
    const table = relation('rId2', 'worksheet', 'worksheets/sheet2.xml')
    const texts = relation('b', 'sharedStrings', 'sharedStrings.xml')
    const parts = { 'xl/_rels/workbook.xml.rels': `<Relationships>${chart}${table}${texts}</Relationships>` }
    await t.importer.run({ 'a.xlsx': xlsx({ Old: SHEETS.Old, New: SHEETS.New }, parts) })
    expect(await items()).toMatchObject([{ name: 'new' }])
  })

  test('the one that is read is said, unless the manifest names it', async () => {
    const files = { 'a.xlsx': xlsx(SHEETS) }
    await t.importer.run(files)
    expect(t.importer.reported.warnings).toMatchObject([
      {
        line: 1,
        reason:
          'of the sheets with a table, "Old" is read; in the manifest, add "sheet": "Old" to the entry of a.xlsx if its table begins with a, old, 11; or "New" if its table begins with a, new, 11',
      },
    ])
    await t.importer.run(files, { items: [{ file: 'a.xlsx', sheet: 'Old' }] })
    expect(t.importer.reported.warnings).toEqual([])
    const labels = { categoryCode: { file: 'a.xlsx', columns: { code: 'categoryCode', label: 'name' } } }
    await t.importer.run(files, { items: [{ file: 'a.xlsx', sheet: 'Old' }], labels })
    expect(t.importer.reported.warnings).toMatchObject([{ reason: expect.stringContaining('"Old" is read') }])
  })

  test('one without a table is refused, with the others', async () => {
    const files = { 'a.xlsx': xlsx(SHEETS, workbook('state="hidden"', '', '')) }
    expect(await t.importer.fail({ 'a.xlsx': xlsx({ Notes: SHEETS.Notes, New: SHEETS.New }) })).toBe(
      'a.xlsx: the sheet "Notes" has no header, which is a row with two cells; in the manifest, add "sheet": "New" to the entry of a.xlsx if its table begins with a, new, 11',
    )
    expect(await t.importer.fail(files, { items: [{ file: 'a.xlsx', sheet: 'Notes' }] })).toBe(
      'a.xlsx: the sheet "Notes" has no header, which is a row with two cells',
    )
    const hidden = workbook(...Array.from({ length: 4 }, () => 'state="hidden"'))
    expect(await t.importer.fail({ 'a.xlsx': xlsx(SHEETS, hidden) })).toBe(
      'a.xlsx: has no visible sheet; in the manifest, add "sheet": "…" to the entry of a.xlsx; its sheets are "Old", "New", "Notes", "Chart"',
    )
  })

  test('init takes the first table, and says the others', async () => {
    const init = async (content: Buffer) => {
      const path = join(await mkdtemp(join(tmpdir(), 'catalog-init-')), 'a.xlsx')
      await writeFile(path, content)
      const { dialect, choices } = await initManifest(path)
      return { dialect, sheets: choices.filter(({ what }) => what === 'sheet') }
    }
    const choice = (name: string, example: string) => ({
      ...{ choice: `"${name}"`, example: `its table begins with ${example}`, write: `"sheet": "${name}"` },
    })
    expect(await init(xlsx(SHEETS))).toEqual({
      dialect: { sheet: 'Old' },
      sheets: [{ what: 'sheet', readings: [choice('Old', 'a, old, 11'), choice('New', 'a, new, 11')] }],
    })
    const one = await init(xlsx({ Notes: SHEETS.Notes, New: SHEETS.New }))
    expect(one).toEqual({ dialect: { sheet: 'New' }, sheets: [] })
    expect(await init(xlsx({ New: SHEETS.New, Notes: SHEETS.Notes }))).toEqual({ dialect: {}, sheets: [] })
  })
})

describe('A spreadsheet', () => {
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
    const { dialect, places } = await initManifest(path)
    expect([dialect, places[0]?.latitude]).toEqual([{ decimal: ',' }, '48.1'])
  })
})
