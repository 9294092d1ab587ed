import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'

const t = useApp()
let key: string
beforeAll(async () => {
  const { prisma } = t.database
  ;({ key } = await createKey(prisma, { name: 'all', accessTiers: ['gold'], datasets: ['draft'] }))
  await prisma.item.deleteMany({ where: { datasetId: DATASET.draft } })
  await prisma.item.createMany({
    data: Array.from({ length: 3_000 }, (_, n) =>
      newPlace({
        id: `77777777-0000-4000-8000-${String((n * 7919) % 1_000_000).padStart(12, '0')}`,
        datasetId: DATASET.paid,
        name: `장소 ${n} "${'x'.repeat(n % 40)}"`,
        keywords: n % 3 === 0 ? ['one', 'two'] : [],
      }),
    ),
  })
})

interface ExportSize {
  format: string
  bytes: number
  isExact: boolean
}

async function sizesOf(dataset: string): Promise<ExportSize[]> {
  const query = 'query ($dataset: ID!) { dataset(id: $dataset) { exportSizes { format bytes isExact } } }'
  return (await t.graphql(query, { dataset }, key)).body.data.dataset.exportSizes
}

async function bytesOf(dataset: string, format: string): Promise<number> {
  const response = await t.get(`/exports/${dataset}.${format}`, { authorization: `Bearer ${key}` })
  return (await response.arrayBuffer()).byteLength
}

test.each(['seoul', 'archived', 'draft'])('the sizes of the small or empty dataset %s are exact', async (dataset) => {
  const sizes = await sizesOf(dataset)
  expect(sizes.map(({ format }) => format)).toEqual(EXPORT_FORMATS.flatMap(({ name, frame }) => (frame ? name : [])))
  for (const { format, bytes, isExact } of sizes) {
    expect([format, bytes, isExact]).toEqual([format, await bytesOf(dataset, format), true])
  }
})

test('the sizes of a large dataset are estimated from its first items', async () => {
  for (const { format, bytes, isExact } of await sizesOf('paid')) {
    expect([format, isExact]).toEqual([format, false])
    expect(bytes / (await bytesOf('paid', format))).toBeCloseTo(1, 1)
  }
})

test('the sizes of all datasets come from one statement, and only of those that the key may access', async () => {
  t.statements.length = 0
  const { body } = await t.graphql('{ datasets { nodes { slug exportSizes { bytes } } } }')
  expect(t.statements.filter((sql) => sql.includes('octet_length')).length).toBe(1)
  expect(body.data.datasets.nodes.map(({ slug }: { slug: string }) => slug)).not.toContain('paid')
})
