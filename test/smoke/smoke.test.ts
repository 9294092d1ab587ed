import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { giveKey, hasBrowser, openBrowser, WIDE } from '../support/browser.ts'
import { createEmpty } from '../support/database.ts'
import { csv } from '../support/import.ts'
import { type Gateway, listCommands, runCatalog, startGateway } from '../support/process.ts'
import type { EmptyDatabase } from '../support/template.ts'

/*
 * One real start of the gateway, one run of each command beside it, and one page in a browser. `npm test` runs this file instead of
 * the many that start processes.
 */

let database: EmptyDatabase
let gateway: Gateway
let folder: string
let key: string
beforeAll(async () => {
  database = await createEmpty()
  gateway = await startGateway({ ...database.env, SAMPLE_DATA: 'true' })
  key = /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? ''
  folder = await mkdtemp(join(tmpdir(), 'catalog-smoke-'))
  await writeFile(join(folder, 'places.csv'), csv('a,A,11,x,37.5,127', 'b,B,11,x,37.6,127'))
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
  await database.drop()
})

const run = (...args: string[]) => runCatalog(database.env, ...args.map((arg) => arg.replace('FOLDER', folder)))

/** A run of each command, in this order, and what it prints. */
const RUNS: readonly [command: string, args: readonly string[], printed: RegExp][] = [
  ['migrate', [], /^Nothing to apply$/m],
  ['import init', ['FOLDER/places.csv'], /places/],
  ['import', ['FOLDER/places.json'], /^places: 2 created, 0 updated, 0 unchanged, 0 removed, 0 skipped$/m],
  ['datasets list', [], /^places +/m],
  ['datasets show', ['places'], /places/],
  ['datasets update', ['places', '--visibility', 'restricted'], /restricted/],
  ['history show', ['1'], /import at/],
  ['undo', ['places'], /is undone: 0 created, 0 updated, 0 removed/],
  ['keys create', ['--name', 'smoke'], /^dck_\S+$/m],
  ['keys list', [], / smoke /],
  ['keys show', ['smoke'], /smoke/],
  ['keys usage', ['smoke'], /no use in the last 30 days/],
  ['keys update', ['smoke', '--expires', '90d'], /expires 20/],
  ['keys grant', ['smoke', '--dataset', 'places'], /places/],
  ['access explain', ['smoke', 'places'], /grant/],
  ['access list', ['smoke'], /places/],
  ['keys ungrant', ['smoke', '--dataset', 'places'], /places/],
  ['keys rotate', ['smoke'], /^dck_\S+$/m],
  ['keys revoke', ['smoke'], /revoked/],
  ['export', ['places', '--format', 'ndjson'], /"externalId":"a"/],
  ['datasets reset-changes', ['places'], /begin again/],
  ['datasets remove', ['places', '--yes'], /places/],
  ['datasets restore', ['places'], /restored, with 2 items/],
  // It copies another catalog (test/changes/mirror.test.ts).
  ['mirror', ['--help'], /Usage/],
  // Only the embedded database has them (test/embedded/backup.isolated.test.ts).
  ['backup', ['--help'], /Usage/],
  ['restore', ['--help'], /Usage/],
  ['doctor', [], /^ok +database/m],
  ['completion', ['bash'], /catalog/],
]

test('the gateway starts and serves its sample data', async () => {
  const response = await fetch(`${gateway.url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  expect((await response.json()).data).not.toEqual([])
})

describe('Beside the gateway, catalog', () => {
  test.each(RUNS)('%s %j', async (command, args, printed) => {
    const { code, stdout, stderr } = await run(...command.split(' '), ...args)
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(printed)])
  })

  test('has no command that is missing here', async () => {
    const expected = new Set(RUNS.map(([command]) => command))
    const missing = (await listCommands()).filter((name) => !expected.has(name))
    expect(missing, 'add a run to RUNS of test/smoke/smoke.test.ts').toEqual(['serve'])
  })
})

test.skipIf(!hasBrowser)('the explorer lists the places of a dataset in a browser', async () => {
  const { browser, page, errors, foreign } = await openBrowser(gateway.url, WIDE)
  await page.goto(`${gateway.url}/?dataset=world-airports`)
  await giveKey(page, key)
  await page.getByText(/places, by name/).waitFor()
  expect([errors, foreign]).toEqual([[], []])
  await browser.close()
})
