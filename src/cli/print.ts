import { CatalogError, messageOf } from '../errors.ts'

/** Prints a line on stdout. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints one JSON document on a line of stdout. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value))
}

/** Prints rows in columns as wide as their widest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))))
  for (const line of lines) {
    const cells = line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - columnsOf(cell)))
    printLine(cells.join('  ').trimEnd())
  }
}

/** Prints a line of what came from elsewhere on stderr, without what would steer the terminal. */
export function printNotice(line: string): void {
  process.stderr.write(`${line.replace(/\p{Cc}+/gu, ' ')}\n`)
}

/** Tells on stderr why a command failed: a line, or as many as the operator is meant to see. */
export function printFailure(failure: unknown): void {
  const message = typeof failure === 'string' ? failure : messageOf(failure)
  const lines = message.trim().split('\n')
  // What nobody foresaw may tell a long story (Prisma's with an excerpt of the code), of which the last line is the reason.
  const told = failure instanceof CatalogError ? lines : lines.slice(-1)
  for (const [index, line] of told.entries()) printNotice(index === 0 ? `catalog: ${line}` : line)
}

/** Characters that take two columns on a terminal: those of East Asian scripts, and their full-width forms. */
const WIDE = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60]/gu

/** How many columns of a terminal a text takes. */
function columnsOf(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0)
}
