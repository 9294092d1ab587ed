import { beforeAll, expect, test } from 'vitest'
import { ResponseSize } from '../../src/graphql/operation/execute.ts'
import { LIMITS } from '../../src/graphql/operation/limits.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'

const t = useApp()
beforeAll(async () => {
  await t.database.prisma.$executeRaw`
    INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, street_address,
                       latitude, longitude, created_at, updated_at)
    SELECT gen_random_uuid(), ${DATASET.seoul}::uuid, 'Place ' || n, '', '', 'c' || n, '', 1, 1, now(), now()
      FROM generate_series(1, 600) AS n`
})

const facets = (aliases: number) =>
  `{ ${Array.from({ length: aliases }, (_, n) => `a${n}: dataset(id: "seoul") { categories { code } }`).join(' ')} }`

test('a response with more objects than the limit is refused while it is made, and names the limit', async () => {
  const { body } = await t.graphql(facets(49))
  expect(body).toEqual({
    errors: [
      {
        message: `objects must be at most ${LIMITS.objects} in a response; ask for less in one operation`,
        extensions: {
          code: 'VALIDATION_FAILED',
          details: [
            {
              field: 'objects',
              message: `must be at most ${LIMITS.objects} in a response; ask for less in one operation`,
            },
          ],
        },
      },
    ],
  })
})

test('lists that are longer than the cost assumes are complete within the limit', async () => {
  const { body } = await t.graphql(facets(40))
  expect(body.errors).toBeUndefined()
  expect(body.data.a39.categories.length).toBeGreaterThanOrEqual(600)
})

test('the characters of a response have a limit', () => {
  const size = new ResponseSize()
  size.addText(LIMITS.characters)
  expect(size.excess).toBeUndefined()
  expect(() => size.addText(1)).toThrow(`characters must be at most ${LIMITS.characters} in a response`)
})
