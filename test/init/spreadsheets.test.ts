import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'
import { type Cell, xlsx } from '../support/xlsx.ts'

const HEADER = ['externalId', 'name', 'administrativeAreaCode', 'categoryCode', 'latitude', 'longitude']
const row = (name: string): Cell[] => ['a', name, '11', 'x', 1, 2]
const SHEETS = { Old: [HEADER, row('old')], New: [HEADER, row('new')], Notes: [['Made by us']], Chart: [] }

test('init takes the first table, and says the others of several sheets', async () => {
  const init = async (content: Buffer) => {
    const path = join(await mkdtemp(join(tmpdir(), 'catalog-init-')), 'a.xlsx')
    await writeFile(path, content)
    const { dialect, choices } = await initManifest(path)
    return { dialect, sheets: choices.filter(({ what }) => what === 'sheet') }
  }
  const choice = (name: string, example: string) => ({
    ...{ choice: `"${name}"`, example: `its table begins with ${example}`, write: `"sheet": "${name}"` },
  })
  expect(await init(xlsx(SHEETS))).toEqual({
    dialect: { sheet: 'Old' },
    sheets: [{ what: 'sheet', readings: [choice('Old', 'a, old, 11'), choice('New', 'a, new, 11')] }],
  })
  const one = await init(xlsx({ Notes: SHEETS.Notes, New: SHEETS.New }))
  expect(one).toEqual({ dialect: { sheet: 'New' }, sheets: [] })
  expect(await init(xlsx({ New: SHEETS.New, Notes: SHEETS.Notes }))).toEqual({ dialect: {}, sheets: [] })
})

test('init finds out how a spreadsheet has its numbers', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'catalog-init-')), 'a.xlsx')
  await writeFile(
    path,
    xlsx({
      A: [
        ['Name', 'Breitengrad', 'Längengrad'],
        ['A', '48,1', '11,5'],
      ],
    }),
  )
  const { dialect, places } = await initManifest(path)
  expect([dialect, places[0]?.latitude]).toEqual([{ decimal: ',' }, '48.1'])
})
