import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createApp } from '../../src/server/app.ts'

/*
 * What a page of itemConnection costs at a depth, against the first page, and beside it the same of page numbers. Over HTTP,
 * in one run, the two taking turns.
 *
 *   node test/bench/depth.ts postgresql://superuser@host/an-empty-database [items]
 */

const [url, size = '1000000'] = process.argv.slice(2)
if (!url) throw new Error('Give the URL of an empty database, and a number of items')
const ROUNDS = 200
const DATASET = '11111111-0000-4000-8000-000000000001'

const database = await openDatabase(
  { kind: 'postgres', url, poolSize: 8, statementTimeoutMs: 600_000 },
  { share: false },
)
const { prisma } = database
await database.withSession(async (session) => {
  await migrate(session)
  await session.query(
    `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
     VALUES ($1, 'bench', 'Bench', 'active', 'public', '', now(), now()) ON CONFLICT DO NOTHING`,
    [DATASET],
  )
  await session.query(
    `INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'Item ' || md5(n::text), 'a' || n % 50, 'c' || n % 20,
            n * 7919 % 180000 / 1000.0 - 90, n * 104729 % 360000 / 1000.0 - 180, now(), now()
       FROM generate_series(1::bigint, $2::bigint - (SELECT count(*) FROM items)) AS n`,
    [DATASET, size],
  )
  await session.query('VACUUM (ANALYZE) items')
})
const { key } = await createKey(prisma, { name: 'bench' })
const app = await createApp({ database, corsOrigins: [], logLevel: 'silent', speed: readConfig({}).speed })
const address = await app.listen({ host: '127.0.0.1', port: 0 })

const DOCUMENT = `query ($after: String) { dataset(id: "bench") { itemConnection(first: 20, after: $after) {
  nodes { id name description latitude longitude categoryCode createdAt } pageInfo { hasNextPage endCursor } } } }`

const connection = (after: string | null) => async () => {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: DOCUMENT, variables: { after } }),
  })
  const { data } = await response.json()
  if (data.dataset.itemConnection.nodes.length !== 20) throw new Error('Not a page of 20')
}

const page = (number: number) => async () => {
  const path = `/v1/datasets/bench/items?page=${number}`
  const response = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } })
  const { data } = await response.json()
  if (data.length !== 20) throw new Error('Not a page of 20')
}

/** The median time of each in milliseconds, the two taking turns. */
async function compare(
  first: () => Promise<void>,
  second: () => Promise<void>,
  rounds: number,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, run] of [first, second].entries()) {
      const start = performance.now()
      await run()
      times[index]?.push(performance.now() - start)
    }
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
  return [median(times[0]), median(times[1])]
}

const deep = await prisma.item.findMany({
  where: { datasetId: DATASET },
  orderBy: [{ name: 'asc' }, { id: 'asc' }],
  skip: Number(size) - 30,
  take: 1,
})
const cursor = Buffer.from(JSON.stringify([DATASET, 'name', deep[0]?.name, deep[0]?.id])).toString('base64url')

const rows = [
  [
    `itemConnection at depth ${Number(size) - 29}`,
    ...(await compare(connection(null), connection(cursor), ROUNDS)),
  ] as const,
  ['REST page 5,000 of 20', ...(await compare(page(1), page(Math.min(5000, Number(size) / 20)), 20))] as const,
]
process.stdout.write('| measure | first page, ms | deep page, ms | ratio |\n|---|---|---|---|\n')
for (const [name, first, second] of rows) {
  process.stdout.write(`| ${name} | ${first.toFixed(2)} | ${second.toFixed(2)} | ${(second / first).toFixed(2)} |\n`)
}
await app.close()
await database.close()
