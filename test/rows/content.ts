import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { type Cell, styled, styleSheet, xlsx } from '../support/xlsx.ts'

/** A cell; `[format, value]` is a number in that format. */
type GivenCell = Cell | null | readonly [format: string, value: number]

/** The bytes of a file, as a line of the table has them. A list is its parts, one after another. */
export type Content =
  | string
  | readonly Content[]
  | { hex: string }
  | { text: string; encoding: string; bom?: boolean }
  | { repeat: string; times: number }
  | { gzip: Content }
  | { of: Content; cut: number }
  | {
      xlsx: Readonly<Record<string, readonly (readonly GivenCell[])[]>>
      parts?: Readonly<Record<string, string | null>>
    }

/** Returns the bytes. `{n}` in a text that is repeated counts from 0. A file that is cut has its first bytes, or lacks the last ones. */
export function bytesOf(content: Content): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  if ('hex' in content) return Buffer.from(content.hex, 'hex')
  if ('encoding' in content) return iconv.encode(content.text, content.encoding, { addBOM: content.bom ?? false })
  if ('repeat' in content) {
    const { repeat, times } = content
    if (!repeat.includes('{n}')) return Buffer.from(repeat.repeat(times))
    return Buffer.from(Array.from({ length: times }, (_, n) => repeat.replaceAll('{n}', String(n))).join(''))
  }
  if ('gzip' in content) return gzipSync(bytesOf(content.gzip))
  if ('cut' in content) return bytesOf(content.of).subarray(0, content.cut)
  if ('xlsx' in content) return spreadsheetOf(content)
  return Buffer.concat(content.map(bytesOf))
}

function spreadsheetOf({ xlsx: given, parts = {} }: Extract<Content, { xlsx: object }>): Buffer {
  const formats: string[] = []
  const cellOf = (cell: GivenCell): Cell => {
    if (!Array.isArray(cell)) return isCell(cell) ? (cell ?? undefined) : undefined
    const [format, value] = cell
    if (!formats.includes(format)) formats.push(format)
    return styled(value, formats.indexOf(format))
  }
  const sheets = Object.fromEntries(
    Object.entries(given).map(([name, rows]) => [name, rows.map((row) => row.map(cellOf))]),
  )
  const styles = formats.length > 0 ? { 'xl/styles.xml': styleSheet(formats) } : {}
  const others = Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, xml ?? undefined]))
  return xlsx(sheets, { ...styles, ...others })
}

const isCell = (cell: GivenCell): cell is Cell | null => !Array.isArray(cell)
