import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import { escapeControls, messageOf, OperationFailed } from '../errors/errors.ts'

/*
 * All output of the commands. Others wrote many of the texts: names, tiers, cells of files. So control characters are escaped here, and
 * no other file writes to stdout or stderr (test/architecture.test.ts).
 */

/** A text in a colour, on a terminal. */
export interface Coloured {
  colour: 'green' | 'red' | 'yellow'
  text: string
}

/** Prints one line on stdout, which consists of these parts. */
export function printLine(...parts: readonly (string | Coloured)[]): void {
  const line = parts.map((part) =>
    typeof part === 'string' ? escapeControls(part) : styleText(part.colour, escapeControls(part.text)),
  )
  process.stdout.write(`${line.join('')}\n`)
}

/** Prints a value as one line of JSON on stdout. */
export function printJson(value: unknown): void {
  // Inside of JSON, the escaped characters mean the same.
  printLine(JSON.stringify(value))
}

/** Prints a table on stdout, with each column as wide as its widest cell; or a line if it has no rows. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[], emptyLine?: string): void {
  if (rows.length === 0 && emptyLine !== undefined) return void printLine(emptyLine)
  const lines = [header, ...rows].map((cells) => cells.map(escapeControls))
  const widths = header.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))))
  for (const line of lines) {
    const cells = line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - columnsOf(cell)))
    printLine(cells.join('  ').trimEnd())
  }
}

/** A file or another program gets lines of this width. */
const WIDTH = 140
const MAX_CELL_WIDTH = 44

/** Prints a table on stdout whose lines are not wider than the terminal: wide cells are cut. */
export function printNarrowTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const last = header.length - 1
  const cells = rows.map((row) => row.map((cell, column) => (column === last ? cell : cut(cell, MAX_CELL_WIDTH))))
  const widths = header.map((_, column) => Math.max(...[header, ...cells].map((row) => columnsOf(row[column] ?? ''))))
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
  const left = Math.max(MAX_CELL_WIDTH / 2, (process.stdout.columns ?? WIDTH) - before)
  printTable(
    header,
    cells.map((row) => row.map((cell, column) => (column === last ? cut(cell, left) : cell))),
  )
}

/** Prints a line on stdout for each fact: its label, which is as wide as `width`, and its value. */
export function printFacts(width: number, facts: readonly (readonly string[])[]): void {
  for (const [label = '', value = ''] of facts) printLine(label.padEnd(width) + value)
}

/** Returns `1 grant` or `2 grants`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Prints one line on stderr. */
export function printNotice(line: string): void {
  process.stderr.write(`${escapeControls(line)}\n`)
}

/**
 * Writes lines of data to stdout, as they are for another program, and without control characters on a terminal. Stops when the reader
 * stops.
 * @param parts each of them has whole lines, or bytes
 */
export async function writeData(parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  const shown = process.stdout.isTTY ? escapeLines(parts) : parts
  await pipeline(Readable.from(shown), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // program.ts reports errors of stdout, except that a reader stops early (`| head`).
    if (error.syscall !== 'write') throw error
  })
}

async function* escapeLines(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  for await (const part of parts) yield String(part).split(/\r?\n/).map(escapeControls).join('\n')
}

/** Moves a terminal to the start of the line, and clears the line. */
const ERASE_LINE = '\r\x1b[2K'

let isShowing = false

/** Shows a text in place of the last one, in the current line of the terminal. */
export function showProgress(text: string): void {
  isShowing = true
  process.stderr.write(ERASE_LINE + escapeControls(text).slice(0, process.stderr.columns - 1))
}

/** Clears the line of `showProgress`, if there is one, so that another line can be printed. */
export function clearProgress(): void {
  if (isShowing) process.stderr.write(ERASE_LINE)
  isShowing = false
}

/** Prints on stderr why a command failed. */
export function printFailure(failure: unknown): void {
  for (const [index, line] of linesOf(failure).entries()) printNotice(index === 0 ? `catalog: ${line}` : line)
}

function linesOf(failure: unknown): readonly string[] {
  if (failure instanceof OperationFailed) return failure.lines
  if (typeof failure === 'string') return [failure]
  // Other errors may be long (Prisma's quote the source code); their last line is the reason.
  return messageOf(failure).trim().split('\n').slice(-1)
}

/** Characters that are two columns wide on a terminal: those of East Asian scripts, full-width forms and emoji. */
const WIDE =
  /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60\p{Emoji_Presentation}]/u
/** Marks stand on the letter before them, and letters of Hangul in one syllable. */
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The width of a text on a terminal, in columns. */
function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return [...characters.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0)
}

/** Returns a text that is at most so many columns wide on a terminal. */
function cut(text: string, width: number): string {
  const shown = escapeControls(text)
  if (columnsOf(shown) <= width) return shown
  let start = ''
  let left = width - 1
  for (const { segment } of characters.segment(shown)) {
    left -= WIDE.test(segment) ? 2 : 1
    if (left < 0) break
    start += segment
  }
  return `${start}…`
}
