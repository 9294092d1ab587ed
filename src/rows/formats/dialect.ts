import { z } from 'zod'
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

const dialect = z.object(dialectMembers)

export type Dialect = z.output<typeof dialect>

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
