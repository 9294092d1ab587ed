import { messageOf, OperationFailed, withoutControls } from '../errors.ts'

/** Prints a line on stdout. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a value as one line of JSON on stdout. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value))
}

/** Prints a table on stdout, with each column as wide as its widest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, ...rows].map((cells) => cells.map(withoutControls))
  const widths = header.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))))
  for (const line of lines) {
    const cells = line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - columnsOf(cell)))
    printLine(cells.join('  ').trimEnd())
  }
}

/** Prints a line on stderr, without control characters. */
export function printNotice(line: string): void {
  process.stderr.write(`${withoutControls(line)}\n`)
}

/** Moves a terminal to the start of the line, and clears the line. */
export const ERASE_LINE = '\r\x1b[2K'

/** Prints on stderr why a command failed. */
export function printFailure(failure: unknown): void {
  const message = typeof failure === 'string' ? failure : messageOf(failure)
  const lines = message.trim().split('\n')
  // Other errors may be long (Prisma's quote the source code); their last line is the reason.
  const shown = failure instanceof OperationFailed ? lines : lines.slice(-1)
  for (const [index, line] of shown.entries()) printNotice(index === 0 ? `catalog: ${line}` : line)
}

/** Characters that are two columns wide on a terminal: those of East Asian scripts, and full-width forms. */
const WIDE = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60]/gu

/** The width of a text on a terminal, in columns. */
function columnsOf(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0)
}
