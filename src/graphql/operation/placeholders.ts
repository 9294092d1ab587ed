import { randomUUID } from 'node:crypto'
import type { ExecutionResult } from 'graphql'

/*
 * JSON text from PostgreSQL goes into the response as it is: to parse it and write it again takes time, and changes numbers of
 * more than 15 digits and the order of keys. The result holds a placeholder, which is replaced when the result is printed.
 */

/** Clients can't guess it, so it occurs nowhere else in a response. */
const PLACEHOLDER = randomUUID()
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER} (\\d+)"`, 'g')

/** Adds JSON text to the list `rawJson`, and returns the placeholder for it. */
export function placeholderFor(text: string, rawJson: string[]): string {
  return `${PLACEHOLDER} ${rawJson.push(text) - 1}`
}

const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|\s+/g

/** JSON text without the spaces that PostgreSQL writes after colons and commas. */
export function compactJson(text: string): string {
  return text.replace(STRING_OR_SPACE, (_, string: string | undefined) => string ?? '')
}

/** Prints a result, or a part of it, as JSON. */
export function printJson(value: ExecutionResult | object, rawJson: readonly string[]): string {
  const text = JSON.stringify(value)
  return rawJson.length === 0
    ? text
    : text.replace(PLACEHOLDERS, (_, index: string) => rawJson[Number(index)] ?? 'null')
}
