import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseManifest } from '../../src/rows/manifest.ts'
import type { Problem } from '../../src/rows/problem.ts'
import { type Row, rows } from '../../src/rows/rows.ts'
import { DATASET } from '../support/import.ts'
import { bytesOf, type Content } from './content.ts'

type Said = [line: number, reason: string, value?: string]

/** What is read. */
export interface Found {
  /** The fields that differ from `USUAL`. */
  rows?: unknown[]
  /** Bad rows. */
  problems?: Said[]
  /** What is said of rows that are loaded anyway, by its kind. */
  warnings?: Said[]
  doubts?: Said[]
  parts?: Said[]
  lacks?: Said[]
  /** Why nothing more is read. */
  error?: string
}

/** Files, and what a manifest says of them. Without members, all files are items. */
export interface Input {
  files: Record<string, Content>
  dataset?: object | undefined
  items?: unknown
  /** What the entry of each file has. */
  entry?: object | undefined
  /** What `columns` has beside `id`, `name` and codes that are the same in all rows. */
  columns?: object | undefined
  /** Columns that are shown as attributes, where the other fields have the same value in all rows. */
  cells?: string[] | undefined
}

/** The fields of a row that says nothing else. */
const USUAL: Record<string, unknown> = {
  ...{ administrativeAreaCode: '11', categoryCode: 'x' },
  ...{ description: '', streetAddress: '', contactName: '', telephone: '', url: '', keywords: [], images: [] },
  ...{ externalId: null, parentExternalId: null, addressRegion: null, addressLocality: null, postalCode: null },
  ...{ roadAddress: null, jibunAddress: null, thumbnailUrl: null, email: null, openingHours: null },
}

/** The fields of rows whose cells are shown. */
const SAME = {
  externalId: 'a',
  name: 'A',
  administrativeAreaCode: '11',
  categoryCode: 'x',
  latitude: '1',
  longitude: '2',
}
const NAMED = { externalId: 'id', name: 'name', administrativeAreaCode: { value: '11' }, categoryCode: { value: 'x' } }
const GIVEN = Object.fromEntries(Object.entries(SAME).map(([field, value]) => [field, { value }]))

/** Writes the files into a folder, and reads them. */
export async function readCase(input: Input, folder: string): Promise<Found> {
  const { files, dataset, cells } = input
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), bytesOf(content))
  const manifest = JSON.stringify({ dataset: { ...DATASET, ...dataset }, items: itemsOf(input) })
  const found: Found = {}
  try {
    for (const file of parseManifest(join(folder, 'manifest.json'), manifest).files)
      for await (const row of rows(file)) add(found, row, cells ? { ...USUAL, ...SAME } : USUAL)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    found.error = error.message.replaceAll(`${folder}/`, '')
  }
  return found
}

function itemsOf({ files, items, entry, columns, cells }: Input): unknown {
  const named = columns && { columns: { ...NAMED, ...columns } }
  const given = cells && { columns: { ...GIVEN, extraAttributes: cells } }
  return items ?? Object.keys(files).map((file) => ({ file, ...named, ...given, ...entry }))
}

function add(found: Found, row: Row | Problem, usual: Record<string, unknown>): void {
  if ('item' in row) {
    found.rows ??= []
    found.rows.push(shown(row, usual))
    return
  }
  const { line, reason, value, warns } = row
  const kind = warns === undefined ? 'problems' : (`${warns}s` as const)
  found[kind] ??= []
  found[kind].push(value === undefined ? [line, reason] : [line, reason, value])
}

/** A row as JSON has it. Attributes that JavaScript would change are text. */
function shown({ line, item }: Row, usual: Record<string, unknown>): object {
  const { extraAttributes, ...fields } = item
  const attributes = JSON.stringify(extraAttributes ?? {})
  const isPlain = !attributes.includes('__proto__') && JSON.stringify(JSON.parse(attributes)) === attributes
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(fields))
  const unusual = Object.entries(plain).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]))
  const more = attributes === '{}' ? {} : { extraAttributes: isPlain ? JSON.parse(attributes) : attributes }
  return { line, ...Object.fromEntries(unusual), ...more }
}
