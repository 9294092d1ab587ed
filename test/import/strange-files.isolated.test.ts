import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importManifest } from '../../src/import/import.ts'
import { initManifest } from '../../src/init/init-manifest.ts'
import { HEADER, useImporter } from '../support/import.ts'

const t = useImporter()

test('a manifest may name any file, and no line of one that is no data is shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-links-'))
  const secrets = ['hunter1,hunter2,hunter3', 'hunter1', '{"hunter1": hunter2', 'hunter1;hunter2;hunter3']
  for (const [index, secret] of secrets.entries()) {
    await writeFile(join(folder, 'secret'), `${secret}\n${secret}\n`)
    for (const ending of ['csv', 'ndjson', 'geojson', 'xlsx', 'csv.gz']) {
      const file = join(folder, `link-${index}.${ending}`)
      await symlink(join(folder, 'secret'), file)
      const columns = { name: 'name', latitude: 'lat' }
      const labels = { categoryCode: { file, columns: { code: 'code', label: 'label' } } }
      for (const options of [{ items: [{ file }] }, { items: [{ file, columns }] }, { items: [], labels }]) {
        for (const skipInvalid of [false, true]) {
          const message = await t.importer.fail({}, { ...options, skipInvalid })
          const { warnings, skipped } = t.importer.reported
          expect(message + JSON.stringify([warnings, skipped])).not.toContain('hunter')
        }
      }
    }
  }
})

test('150,000 bad rows are named by their reason', async () => {
  // All of them at once would be too many arguments for a function.
  const rows = Array.from({ length: 150_000 }, (_, n) => `a${n},A,11,x,1,2,b${n}`)
  const message = await t.importer.fail({ 'a.csv': [`${HEADER},parentExternalId`, ...rows].join('\n') })
  expect(message).toContain('150000 rows')
  expect(message).toContain('a.csv:2: the parent is not there: b0')
})

describe('What is no regular file is refused at once:', () => {
  const makePipe = (path: string) => execFileSync('mkfifo', [path])
  test.each<[string, string, (path: string) => unknown, string]>([
    ['a pipe', 'ndjson', makePipe, 'is a pipe, and an import reads its files twice; save the data as a file'],
    ['a pipe of CSV', 'csv', makePipe, 'is a pipe, and'],
    ['a pipe that is packed', 'csv.gz', makePipe, 'is a pipe, and'],
    ['a pipe of a spreadsheet', 'xlsx', makePipe, 'is a pipe, and'],
    ['a link to an endless device', 'geojson', (path) => symlink('/dev/zero', path), 'is a device, and'],
    ['a folder', 'csv', (path) => mkdir(path), 'is a folder; name a file in it'],
  ])('%s', async (_what, ending, make, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-pipes-'))
    const file = join(folder, `a.${ending}`)
    await make(file)
    expect(await t.importer.fail({}, { items: [{ file }] })).toContain(`${file}: ${reason}`)
    const labels = { categoryCode: { file, columns: { code: 'code', label: 'label' } } }
    expect(await t.importer.fail({}, { items: [], labels })).toContain(reason)
    await expect(initManifest(file)).rejects.toThrow(reason)
    await expect(importManifest(t.db.database, file, { keepMissing: false, skipInvalid: false })).rejects.toThrow(
      reason,
    )
  })
})
