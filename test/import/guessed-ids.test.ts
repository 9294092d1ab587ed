import { randomUUID } from 'node:crypto'
import { v5 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'

/* What docs/security.md says about the UUIDs of hidden items. */

const t = useApp()
let importer: Importer
beforeAll(async () => {
  importer = await createImporter(t.database)
})
afterAll(async () => {
  await importer.close()
})

test.each([
  ['learns that a hidden item exists', {}, 403],
  ['learns nothing if the dataset has an id of its own', { id: randomUUID() }, 404],
])('whoever guesses slug and externalId %s', async (_, ids, status) => {
  const slug = `hidden-${status}`
  await importer.run({ 'a.ndjson': ndjson(row({ externalId: 'x' })) }, { dataset: { slug, status: 'draft', ...ids } })
  const guessed = v5('x', v5(slug, v5.URL))
  expect((await t.get(`/v1/dataset-items/${guessed}`)).status).toBe(status)
  expect((await t.get(`/v1/dataset-items/${v5('y', v5(slug, v5.URL))}`)).status).toBe(404)
})
