/*
 * JSON whose numbers keep their value. A JavaScript number has 53 bits. A number in JSON or in PostgreSQL's numeric can have
 * more. Such a number is parsed as its source text, which JSON.stringify writes again
 * (https://github.com/tc39/proposal-json-parse-with-source).
 */

/** A number as its source text: what `JSON.rawJSON` returns. */
export interface RawNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON: (text: string) => RawNumber
    isRawJSON: (value: unknown) => value is RawNumber
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/**
 * Numbers that a double may change: those with more than 15 digits, or with an exponent of three digits or more. It also matches
 * digits inside strings. That costs time and changes nothing. Most times and UUIDs do not match, because another character follows them.
 */
const LONG_NUMBERS = /\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}(?=[\s,\]}]|$)/g

/** A fraction that ends with zeros. PostgreSQL keeps them: 1.50 is equal to 1.5, and is written as 1.50. */
const TRAILING_ZEROS = /\.\d*0(?=[\s,\]}eE]|$)/

/** Whether a value of JSON is an object, and no list or number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

/**
 * Parses JSON. A finite number that a double would change, or whose fraction ends with a zero, becomes a `RawNumber`.
 * @throws SyntaxError for text that is not JSON, or is nested too deep for a reviver (thousands of levels)
 */
export function parseExactJson(text: string): unknown {
  // With a reviver, parsing takes six times as long. So only texts that need a reviver get one.
  if (!TRAILING_ZEROS.test(text) && !text.match(LONG_NUMBERS)?.some(losesDigits)) return JSON.parse(text)
  try {
    return JSON.parse(text, keepDigits)
  } catch (error) {
    throw error instanceof RangeError ? new SyntaxError('it is nested too deep', { cause: error }) : error
  }
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || !Number.isFinite(value)) return value
  return TRAILING_ZEROS.test(source) || isLong(source) ? JSON.rawJSON(source) : value
}

/** Returns the digits of a number that a double would change, and the shortest text of every other number: 7.0 is 7. */
export function textOfNumber({ rawJSON }: RawNumber): string {
  return isLong(rawJSON) ? rawJSON : String(Number(rawJSON))
}

function isLong(number: string): boolean {
  return number.match(LONG_NUMBERS) !== null && losesDigits(number)
}

/** Whether JavaScript would write a number with different digits. */
function losesDigits(number: string): boolean {
  return String(Number(number)) !== number
}

/** Parses JSON as `parseExactJson`, or says why a text is none, without the part that V8 quotes, which may be of a file that is no data. */
export function tryExactJson(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { reason: error.message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '') }
  }
}

/** Returns the value of JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** It never backtracks and needs no callback for each string, so it takes a third of the time. */
const STRING_OR_SPACE = /("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g

/** JSON text without spaces outside of strings, as `JSON.stringify` writes it. PostgreSQL puts one after each colon and comma. */
export function compactJson(text: string): string {
  return text.replace(STRING_OR_SPACE, '$1')
}
