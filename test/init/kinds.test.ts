import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'
import kinds from './data/kinds.json' with { type: 'json' }

/* Files of kinds that were read wrong: what the table shows, and the manifest. */

interface Kind {
  what: string
  text: string
  columns?: object
  dialect?: object
  labels?: Record<string, object | null>
  /** The first place, and the beginning of where it is. */
  place?: string
  missing?: string[]
  unread?: string
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

test.each([...(kinds as Kind[]).entries()].map(([index, kind]) => ({ index, ...kind })))('$what', async (kind) => {
  const path = join(folder, `file_${kind.index}.csv`)
  await writeFile(path, kind.text)
  const proposal = await initManifest(path)
  expect(proposal.missing).toEqual(kind.missing ?? [])
  expect(proposal.columns).toMatchObject(kind.columns ?? {})
  if (kind.dialect) expect(proposal.dialect).toEqual(kind.dialect)
  const [place] = proposal.places
  if (kind.place) expect(`${place?.latitude} ${place?.longitude} ${place?.where}`).toContain(kind.place)
  if (kind.unread) expect(proposal.unread[0]).toBe(kind.unread)
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
  expect(items).toEqual([{ file: `file_${kind.index}.csv`, ...proposal.dialect, columns: proposal.columns }])
  for (const [field, label] of Object.entries(kind.labels ?? {})) {
    const [slug, title] = [`file_${kind.index}`, `File ${kind.index}`]
    const expected = label && 'SLUG' in label ? { [slug]: title } : label
    if (expected === null) expect(labels[field]).toBeUndefined()
    else expect(labels[field]).toMatchObject(expected)
  }
})
