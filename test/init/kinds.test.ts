import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'

/* Files of kinds that were read wrong: what the table shows, and the manifest. Each line of the file is one. */
const kinds = readFileSync(new URL('data/kinds.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')

interface Kind {
  what: string
  text: string
  /** `csv` if it is missing. */
  ending?: string
  columns?: object
  dialect?: object
  labels?: Record<string, object | null>
  /** The first place, and the beginning of where it is. */
  place?: string
  missing?: string[]
  /** The number of rows, and the beginning of the reason of a bad one. */
  rows?: number
  bad?: string
  question?: string
  /** The beginning of one of the systems that are listed. */
  systems?: string
  /** What to write for each reading; null if nothing is open. */
  choices?: Record<string, string[] | null>
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-kinds-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const CASES = kinds.map((line, index): Kind & { index: number } => ({ index, ...JSON.parse(line) }))

test.each(CASES)('$what', async (kind) => {
  const file = `file_${kind.index}.${kind.ending ?? 'csv'}`
  const path = join(folder, file)
  await writeFile(path, kind.text)
  const proposal = await initManifest(path)
  if (kind.rows !== undefined) expect(proposal.rows).toBe(kind.rows)
  if (kind.bad !== undefined) expect(proposal.bad.join()).toContain(`: ${kind.bad}`)
  expect(proposal.missing).toEqual(kind.missing ?? [])
  expect(proposal.columns).toMatchObject(kind.columns ?? {})
  if (kind.dialect) expect(proposal.dialect).toEqual(kind.dialect)
  const [place] = proposal.places
  if (kind.place) expect(`${place?.latitude} ${place?.longitude} ${place?.where}`).toContain(kind.place)
  expect(proposal.question).toEqual(kind.question ?? (kind.systems ? expect.any(String) : undefined))
  if (kind.systems) expect(proposal.systems?.map(({ write }) => write)).toContain(kind.systems)
  for (const [what, writes] of Object.entries(kind.choices ?? {})) {
    const choice = proposal.choices.find((each) => each.what === what)
    const written = choice?.readings.map(({ write }) => write)
    expect(written).toEqual(writes ?? undefined)
  }
  if (proposal.missing.length > 0) {
    expect(proposal.manifest).toBeUndefined()
    return
  }
  const { items, labels = {} } = JSON.parse(await readFile(proposal.manifest ?? '', 'utf8'))
  expect(items).toEqual([{ file, ...proposal.dialect, columns: proposal.columns }])
  for (const [field, label] of Object.entries(kind.labels ?? {})) {
    const [slug, title] = [`file_${kind.index}`, `File ${kind.index}`]
    const expected = label && 'SLUG' in label ? { [slug]: title } : label
    if (expected === null) expect(labels[field]).toBeUndefined()
    else expect(labels[field]).toMatchObject(expected)
  }
})

/** Headers, by language. */
const headersOf = (file: string) =>
  readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')
    .trim()
    .split(/[,\n]/)

test.each([
  ['people.txt', 'name', false],
  ['places.txt', 'name', true],
  ['keys.txt', 'identity', true],
  ['no-keys.txt', 'identity', false],
])('headers of %s are columns of the %s: %s', async (list, field, expected) => {
  const wrong: string[] = []
  const [path, manifest] = [join(folder, 'headers.csv'), join(folder, 'headers.json')]
  for (const header of headersOf(list)) {
    const rows =
      field === 'name'
        ? [`code,"${header}",lat`, 'K-1,P,37.5', 'K-7,Q,37.6', 'K-8,R,37.7']
        : [`"${header}",name,lat`, '4071,A,37.5', '1225,A,37.6', '9330,B,37.7']
    await writeFile(path, rows.map((row, n) => `${row},${n === 0 ? 'lon' : 127}\n`).join(''))
    const { columns } = await initManifest(path, manifest)
    await rm(manifest, { force: true })
    const { name, id, externalId = id } = columns
    if (((field === 'name' ? name : externalId) === header) !== expected) wrong.push(header)
  }
  expect(wrong).toEqual([])
})
