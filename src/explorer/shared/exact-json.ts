/*
 * JSON with the digits that the server wrote. A JavaScript number has 53 bits, so a longer one would be shown with other digits
 * (https://github.com/tc39/proposal-json-parse-with-source).
 */

interface RawNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON: (text: string) => RawNumber
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** Parses JSON. JSON.stringify writes each number of it with the digits of the text, in browsers that have `JSON.rawJSON`. */
export function parseExactJson(text: string): unknown {
  return typeof JSON.rawJSON === 'function' ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}
