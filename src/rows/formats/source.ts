import { z } from 'zod'
import { isObject, tryExactJson } from '../../json.ts'
import type { Problem } from '../problem.ts'
import { findReferenceSystem } from '../reference-system.ts'
import { isEncoding } from './encodings.ts'

/** How a file is written. What is missing has its default: UTF-8, commas, decimal points, WGS 84, the first sheet. */
export const dialectMembers = {
  encoding: z
    .string()
    .refine(isEncoding, 'must be an encoding, such as utf-8, utf-16le, cp949, shift_jis, or windows-1252 for "ANSI"')
    .optional(),
  delimiter: z
    .string()
    .regex(/^[^"\r\n]$/, 'must be one character, such as , or ; or | or \\t')
    .optional(),
  decimal: z.enum(['.', ',']).optional(),
  crs: z
    .string()
    .refine((name) => findReferenceSystem(name) !== undefined, {
      error: ({ input }) =>
        /^\d+$/.test(String(input))
          ? `must begin with EPSG:, such as EPSG:${input}`
          : 'must be the code of a coordinate reference system that is known here, such as EPSG:25832',
    })
    .optional(),
  sheet: z.string().min(1).optional(),
  /** Texts that stand for no value. */
  empty: z.array(z.string().min(1)).min(1).optional(),
}

export type Dialect = z.output<z.ZodObject<typeof dialectMembers>>

/** A file in a manifest: its path, its name there, for messages, and how it is written. */
export interface SourceFile {
  name: string
  path: string
  dialect: Dialect
}

/** Says what to change in the entry of a file in a manifest, so that it is read with another dialect. */
export function adviseEntry({ name, dialect: given }: SourceFile, { ...advised }: Dialect): string {
  const changes = Object.entries(advised).map(([member, value]) =>
    Object.hasOwn(given, member)
      ? `change "${member}" to ${JSON.stringify(value)} in`
      : `add "${member}": ${JSON.stringify(value)} to`,
  )
  return `in the manifest, ${changes.join(', and ')} the entry of ${name}`
}

/** The values of a row by their names in the file: the columns of a CSV file, or the members of a JSON object. */
export type Fields = Record<string, unknown>

export interface FieldsRow {
  /** The line that the row starts on. */
  line: number
  fields: Fields
  /** The numbers that a spreadsheet shows as a code, such as 2139 for `02139`. */
  numbers?: Fields
  /** The reference system of the coordinates, if the file says so itself. */
  crs?: string
  /** Where columns of the row stand, if a line does not find them: cells of a sheet, or the number of a feature. */
  placeOf?: (columns: readonly string[]) => string
}

/** The names of the columns, before the first row. */
interface Header {
  line: number
  columns: readonly string[]
}

/** What a file has: its header, if the format has one; rows, and what is wrong with others. */
export type SourceRow = Header | FieldsRow | Problem

/** Called with the number of bytes of each part of a file, before unpacking. */
export type ByteListener = (count: number) => void

/** Maximum length of a row in characters. Memory holds a whole row. */
export const MAX_ROW_LENGTH = 10_000_000

/** Parses a row that is a JSON object. Returns a problem for any other text. */
export function parseJsonRow(line: number, json: string): FieldsRow | Problem {
  const parsed = tryExactJson(json)
  if ('reason' in parsed) return { line, reason: 'is not JSON', value: parsed.reason }
  return isObject(parsed.value) ? { line, fields: parsed.value } : { line, reason: 'must be a JSON object' }
}

/** Whether a cell or a member has a value that is not blank. */
export function hasText(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null
}
