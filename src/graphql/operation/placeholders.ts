import { randomUUID } from 'node:crypto'
import type { RawJson } from '../../catalog/models.ts'

/*
 * JSON text from PostgreSQL goes into the response without being parsed. Parsing and printing take time, and they change the
 * order of keys and numbers of more than 15 digits. The result contains a placeholder, which `printJson` replaces with the text.
 */

/** Clients can't guess it, so it occurs nowhere else in a response. */
const PLACEHOLDER = randomUUID()
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER} (\\d+)"`, 'g')
const OBJECT_PLACEHOLDERS = new RegExp(`\\{"${PLACEHOLDER} (\\d+)":true\\}`, 'g')

/** Adds JSON text to the list `texts`, and returns its placeholder. */
export function placeholderFor(text: RawJson, texts: RawJson[]): string {
  return `${PLACEHOLDER} ${texts.push(text) - 1}`
}

/** The same for an object. Some protocols take no text in its place. */
export function placeholderObject(text: RawJson, texts: RawJson[]): object {
  return { [placeholderFor(text, texts)]: true }
}

/** Prints a result, or a part of it, as JSON. It replaces each placeholder with its text. The result is bytes if a text is. */
export function printJson(value: object, texts: readonly RawJson[]): RawJson {
  return replaceAll(PLACEHOLDERS, JSON.stringify(value), texts)
}

/** Replaces each placeholder of an object in JSON text. */
export function insertObjects(json: string, texts: readonly RawJson[]): RawJson {
  return replaceAll(OBJECT_PLACEHOLDERS, json, texts)
}

function replaceAll(placeholders: RegExp, json: string, texts: readonly RawJson[]): RawJson {
  const [only] = texts
  if (only === undefined) return json
  if (texts.length === 1) {
    // Most responses have one text. To replace it by its place takes a third of the time.
    const found = placeholders.exec(json)
    placeholders.lastIndex = 0
    return found ? join([json.slice(0, found.index), only, json.slice(found.index + found[0].length)]) : json
  }
  // Every other part is the number of a text.
  return join(json.split(placeholders).map((part, n) => (n % 2 === 0 ? part : (texts[Number(part)] ?? 'null'))))
}

function join(parts: readonly RawJson[]): RawJson {
  // `join` would copy the texts, which `+` only links.
  if (!parts.some(Buffer.isBuffer)) return parts.reduce<string>((text, part) => text + part, '')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
