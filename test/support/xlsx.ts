import { crc32, deflateRawSync } from 'node:zlib'

/** The XML of a cell's content: a number, a text, or what is given. */
export type Cell = number | string | { xml: string } | undefined

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const lettersOf = (column: number): string =>
  (column >= 26 ? lettersOf(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))

/** A number with the style of that index: 1 is a date, 2 a date with time, 3 a time, 4 has five digits, 5 are hours. */
export const styled = (value: number, style: number): Cell => ({ xml: `s="${style}"><v>${value}</v>` })

/** A relation of a part. */
export const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`

/** The part of styles with these formats: the style of a cell is the index of its format. */
export const styleSheet = (codes: readonly string[]) => {
  const formats = codes.map(
    (code, n) => `<numFmt numFmtId="${n + 164}" formatCode="${escaped(code).replaceAll('"', '&quot;')}"/>`,
  )
  const styles = codes.map((_, n) => `<xf numFmtId="${n + 164}"/>`)
  return `<styleSheet><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`
}

type Sheets = Readonly<Record<string, readonly (readonly Cell[])[]>>

/** A spreadsheet of these sheets, with other parts in place of its own. */
export const xlsx = (sheets: Sheets, others: Readonly<Record<string, string | undefined>> = {}): Buffer =>
  zip({ ...partsOf(sheets), ...others })

/** The parts of a spreadsheet. Texts are shared, as Excel stores them. */
export function partsOf(sheets: Sheets): Record<string, string> {
  const texts: string[] = []
  const cellXml = (cell: Cell, place: string): string => {
    if (cell === undefined) return ''
    if (typeof cell === 'object') return `<c r="${place}" ${cell.xml}</c>`
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    return `<c r="${place}" t="s"><v>${texts.push(cell) - 1}</v></c>`
  }
  const sheetXml = (rows: readonly (readonly Cell[])[]) =>
    `<worksheet><sheetData>${rows
      .map((cells, row) => {
        const xml = cells.map((cell, column) => cellXml(cell, `${lettersOf(column)}${row + 1}`)).join('')
        return `<row r="${row + 1}">${xml}</row>`
      })
      .join('')}</sheetData></worksheet>`
  const parts = Object.values(sheets).map(
    (rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(rows)] as const,
  )
  const names = Object.keys(sheets)
  const list = names.map(
    (name, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const relations = [
    ...names.map((_, index) => relation(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`)),
    relation('styles', 'styles', 'styles.xml'),
    relation('texts', 'sharedStrings', '/xl/sharedStrings.xml'),
  ]
  const formats = [0, 14, 22, 20, 164, 165].map((id) => `<xf numFmtId="${id}"/>`).join('')
  return {
    '_rels/.rels': `<Relationships>${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${formats}</cellXfs><dxfs><dxf><numFmt numFmtId="20" formatCode="yyyy"/></dxf></dxfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><r><t>${escaped(text)}</t></r><rPh><t>x</t></rPh></si>`).join('')}</sst>`,
    ...Object.fromEntries(parts),
  }
}

/** A ZIP archive of these files. */
export function zip(files: Readonly<Record<string, string | undefined>>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) continue
    const path = Buffer.from(name)
    const data = Buffer.from(content)
    const packed = deflateRawSync(data)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(crc32(data), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(data.length, 18)
    header.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, path, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, rest, path]))
    bodies.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, entries, end])
}
