import { readFile } from 'node:fs/promises'
import type pg from 'pg'

declare const brand: unique symbol

/** A text of SQL from the sources of this program. Only the functions of this file make one, so no value from outside is in it. */
export type SqlText = string & { readonly [brand]: true }

// The only cast: a brand exists only in types.
const trusted = (text: string) => text as SqlText

/** The tag of an SQL text. A `string` in it does not compile: values are parameters, and names go through `quoteName`. */
export function sql(texts: TemplateStringsArray, ...parts: (SqlText | number)[]): SqlText {
  let text = texts[0] ?? ''
  for (let n = 0; n < parts.length; n += 1) text += `${parts[n]}${texts[n + 1]}`
  return trusted(text)
}

/** Returns the name of a table or column, which may be any string, in quotes. */
export function quoteName(name: string): SqlText {
  return trusted(name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`)
}

/** Returns a list with commas. */
export function listOf(parts: readonly SqlText[]): SqlText {
  return trusted(parts.join(', '))
}

/** Returns a list of columns. `table` is the alias of their table. */
export function columnList(columns: readonly string[], table?: SqlText): SqlText {
  const names = columns.map(quoteName)
  return listOf(table === undefined ? names : names.map((name) => sql`${table}.${name}`))
}

/** Reads an SQL text from a file of this program. */
export async function readSqlFile(path: string): Promise<SqlText> {
  return trusted(await readFile(path, 'utf8'))
}

/** A session of PostgreSQL. It takes SQL texts of this program only. */
export interface SqlSession extends Pick<pg.Client, 'connect' | 'end' | 'off' | 'on' | 'once'> {
  /** Sends a statement with its parameters, and returns its result. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: SqlText,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
}
