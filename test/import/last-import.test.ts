import { writeFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ImportOptions, importManifest } from '../../src/import/import.ts'
import { undoLastEntry } from '../../src/import/undo.ts'
import { DATASET, type Files, ndjson, row, useImporter } from '../support/import.ts'

/* docs/importing.md: the same files again are not read, if nothing has changed the dataset since. */

const t = useImporter()

const files = (...more: object[]): Files => ({ 'a.ndjson': ndjson(row({ images: [{ originalUrl: 'o' }] }), ...more) })
const b = row({ externalId: 'b', name: 'B' })

type Options = Parameters<typeof t.importer.run>[1]

/** Imports, and returns the summary, and whether it has read the rows. */
async function run(given: Files, options: Options = {}) {
  let hasRead = false
  const onPhase: ImportOptions['onPhase'] = () => {
    hasRead = true
  }
  const { created, updated, unchanged, removed, skipped } = await t.importer.run(given, {
    knowsLast: true,
    onPhase,
    ...options,
  })
  return { created, updated, unchanged, removed, skipped, hasRead }
}

const none = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0 }
const sql = (statement: string) => t.db.database.prisma.$executeRawUnsafe(statement)

describe('An import of the same files', () => {
  test('reads no row, and counts all items as unchanged', async () => {
    expect(await run(files(b))).toEqual({ ...none, created: 2, hasRead: true })
    expect(await run(files(b))).toEqual({ ...none, unchanged: 2, hasRead: false })
    expect(await run(files(b))).toEqual({ ...none, unchanged: 2, hasRead: false })
  })

  test('reads the rows once more after an import that found nothing changed', async () => {
    await run(files(b))
    await sql('DELETE FROM last_imports')
    expect(await run(files(b))).toEqual({ ...none, unchanged: 2, hasRead: true })
    expect(await run(files(b))).toEqual({ ...none, unchanged: 2, hasRead: false })
  })

  test.each([
    ['a changed item', `UPDATE items SET name = 'C' WHERE external_id = 'b'`, { updated: 1, unchanged: 1 }],
    ['a removed item', `DELETE FROM items WHERE external_id = 'b'`, { created: 1, unchanged: 1 }],
    ['a changed image', `UPDATE images SET alt_text = 'x'`, { updated: 1, unchanged: 1 }],
    ['a removed image', 'DELETE FROM images', { updated: 1, unchanged: 1 }],
    ['a changed dataset', `UPDATE datasets SET name = 'Other'`, { unchanged: 2 }],
    ['a removed dataset', 'DELETE FROM datasets', { created: 2 }],
  ])('restores %s', async (_, statement, expected) => {
    await run(files(b))
    await sql(statement)
    expect(await run(files(b))).toEqual({ ...none, ...expected, hasRead: true })
    expect((await t.db.database.prisma.dataset.findFirstOrThrow()).name).toBe('Places')
    expect(await run(files(b))).toMatchObject({ unchanged: 2, hasRead: false })
  })

  test('leaves nothing in the way of a TRUNCATE of the datasets, after which it creates the items again', async () => {
    await run(files(b))
    await sql('TRUNCATE datasets, items, images, code_labels, grants')
    expect(await run(files(b))).toEqual({ ...none, created: 2, hasRead: true })
  })

  test('does again what was undone', async () => {
    const { datasetId, slug } = await t.importer.run(files(), { knowsLast: true })
    await run(files(b))
    const undo = { command: '', undoDays: 30, overwrite: false }
    await t.db.database.withSession((session) => undoLastEntry(session, { id: datasetId, slug, exists: true }, undo))
    expect(await run(files(b))).toEqual({ ...none, created: 1, unchanged: 1, hasRead: true })
  })

  test.each<[string, Files, Options]>([
    ['another row', files(row({ externalId: 'b', name: 'C' })), {}],
    ['another manifest', files(b), { dataset: { description: 'New' } }],
    ['other labels', files(b), { labels: { categoryCode: { x: 'Museum' } } }],
    ['a dry run', files(b), { dryRun: true }],
  ])('reads the rows of %s', async (_, given, options) => {
    await run(files(b))
    expect(await run(given, options)).toMatchObject({ removed: 0, hasRead: true })
  })

  test('reads the rows if labels in a file of their own have changed', async () => {
    const labels = { categoryCode: 'labels.csv' }
    const items = ['a.ndjson']
    const withLabel = (label: string) => ({ ...files(b), 'labels.csv': `code,label\nx,${label}\n` })
    await run(withLabel('Museum'), { labels, items })
    expect(await run(withLabel('Museum'), { labels, items })).toMatchObject({ hasRead: false })
    expect(await run(withLabel('Gallery'), { labels, items })).toMatchObject({ hasRead: true })
  })

  test('reads the rows again of a file that another program wrote during the import', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'catalog-import-'))
    const [file, manifest] = [join(folder.path, 'a.ndjson'), join(folder.path, 'manifest.json')]
    await writeFile(manifest, JSON.stringify({ dataset: DATASET, items: [{ file: 'a.ndjson' }] }))
    const phases: string[] = []
    const importNow = async (onChecking = () => {}) => {
      phases.length = 0
      await importManifest(t.db.database, manifest, {
        ...{ keepMissing: false, skipInvalid: false },
        onPhase: (phase) => {
          if (phases.push(phase) === 1) onChecking()
        },
      })
    }
    await writeFile(file, ndjson(row()))
    await importNow(() => writeFileSync(file, ndjson(row(), b)))
    await writeFile(file, ndjson(row()))
    await importNow()
    expect(phases).toContain('comparing')
    await importNow()
    expect(phases).toEqual([])
  })

  test('removes the items that the same import has kept', async () => {
    await run(files(b))
    expect(await run(files(), { keepMissing: true })).toMatchObject({ removed: 0, hasRead: true })
    expect(await run(files(), { keepMissing: true })).toMatchObject({ unchanged: 2, hasRead: false })
    expect(await run(files())).toMatchObject({ unchanged: 1, removed: 1, hasRead: true })
  })

  test('does not guess again what a text means', async () => {
    const doubtful = files({ ...b, telephone: '2.1E+11', description: 'N/A' })
    expect(await run(doubtful)).toMatchObject({ created: 2, hasRead: true })
    expect(t.importer.reported.warnings).toHaveLength(2)
    expect(await run(doubtful)).toMatchObject({ unchanged: 2, hasRead: false })
  })

  test('reports warnings and skipped rows again', async () => {
    const atZero = files({ ...b, latitude: 0, longitude: 0 })
    for (const _ of [1, 2]) {
      expect(await run(atZero)).toMatchObject({ hasRead: true })
      expect(t.importer.reported.warnings).toHaveLength(1)
    }
    const invalid = files({ ...b, latitude: 91 })
    for (const _ of [1, 2]) {
      expect(await run(invalid, { skipInvalid: true })).toMatchObject({ skipped: 1, hasRead: true })
      expect(t.importer.reported.skipped).toHaveLength(1)
    }
    await expect(run(invalid)).rejects.toThrow('1 bad row')
    const twice = files(b, b)
    for (const _ of [1, 2]) {
      expect(await run(twice, { skipInvalid: true })).toMatchObject({ skipped: 1, hasRead: true })
      expect(t.importer.reported.skipped).toHaveLength(1)
    }
  })
})

test('An import of a file that is missing says which', async () => {
  await expect(run({}, { items: ['none.ndjson'] })).rejects.toThrow('none.ndjson: does not exist')
})
