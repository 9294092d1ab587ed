/*
 * JSON whose numbers keep their value. A JavaScript number has 53 bits; a number in JSON, and PostgreSQL's numeric, may have more.
 * Such a number is parsed as its source text, and JSON.stringify writes that text
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
 * Numbers that a double may change: those of more than 15 digits, or with an exponent of three digits or more. It also finds
 * digits inside strings, which costs time and changes nothing.
 */
const LONG_NUMBERS = /\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[eE][+-]?\d{3,}/g

/**
 * Parses JSON; a finite number that a double would change is a `RawNumber`.
 * @throws SyntaxError, also for text that is nested too deep for a reviver (thousands of levels).
 */
export function parseExactJson(text: string): unknown {
  // A reviver makes parsing six times slower, so it is used only for texts that need it.
  if (!text.match(LONG_NUMBERS)?.some(losesDigits)) return JSON.parse(text)
  try {
    return JSON.parse(text, keepDigits)
  } catch (error) {
    throw error instanceof RangeError ? new SyntaxError('it is nested too deep', { cause: error }) : error
  }
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || !Number.isFinite(value)) return value
  return source.match(LONG_NUMBERS) && losesDigits(source) ? JSON.rawJSON(source) : value
}

/** Whether JavaScript would write a number in other digits. */
function losesDigits(number: string): boolean {
  return String(Number(number)) !== number
}
