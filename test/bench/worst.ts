import { parseArgs } from 'node:util'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config.ts'
import { createApp } from '../../src/server/app.ts'
import { openDatabase } from '../support/open-database.ts'
import { fillWorld } from './world.ts'

/*
 * Looks for the operations that take most statement time for their cost. It makes random operations within the limits, and climbs: it
 * changes the worst operations of each round a little, and keeps those that became worse. Prints the worst ones. Each statement time is
 * the least of several runs, so that other work of the machine does not count.
 *
 *   node test/bench/worst.ts postgresql://superuser@host/a-database-of-its-own [--rounds 30] [--seed 1]
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
})
const [url] = positionals
if (url === undefined) throw new Error('Give the URL of a database of its own')
const SURVIVORS = 6
const CHILDREN = 4
const RUNS = 2

let statementMs = 0
const database = await openDatabase(
  { kind: 'postgres', url, poolSize: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 },
  { share: false, observe: ({ durationMs }) => (statementMs += durationMs) },
)
await fillWorld(database, [{ slug: 'towns', items: 85_000, related: true }])
await database.withSession(async (session) => {
  const { rowCount } = await session.query(`
    UPDATE items SET address_region = 'r' || (hashtext(id::text) & 7), postal_code = 'p' || (hashtext(id::text) & 1023)
     WHERE address_region IS NULL`)
  if (rowCount) await session.query('VACUUM (ANALYZE) items')
})
const { key } = await createKey(database.prisma, { name: 'bench' })
const app = await createApp({
  database,
  corsOrigins: [],
  limits: readConfig({}).limits,
  responseCacheBytes: 0,
})

let state = Number(values.seed)
/** A whole number from 0 to `below` - 1, the same in each run with one seed. */
function random(below: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}

function pick<Value>(list: readonly [Value, ...Value[]]): Value {
  return list[random(list.length)] ?? list[0]
}

/** A field with its arguments and selections. */
interface Field {
  name: string
  args: Record<string, string>
  selection: string
}

const TEXTS = ['"a"', '"0"', '"e 1"', '"Place"', '"plaec"', '"zzz"', '"place 0a"'] as const
const PAGES = ['1', '2', '50', '100', '101', '400', '800', '30000'] as const
const LIMITS = ['1', '20', '100'] as const
const SORTS = ['NAME', 'CREATED_AT', 'UPDATED_AT'] as const
const RADII = ['1000', '10000', '50000'] as const
const ITEM = [
  'id',
  'id name',
  'id name description images { id }',
  'id parent { id } children(limit: 5) { total }',
] as const

/** Makes an argument of each kind. */
const ARGUMENTS: Readonly<Record<string, () => string>> = {
  text: () => pick(TEXTS),
  page: () => pick(PAGES),
  limit: () => pick(LIMITS),
  first: () => pick(LIMITS),
  sort: () => pick(SORTS),
  order: () => pick(['ASC', 'DESC']),
  categoryCode: () => `"c${random(20)}"`,
  administrativeAreaCode: () => `"a${random(50)}"`,
  addressRegion: () => `"r${random(9)}"`,
  postalCode: () => `"p${random(1025)}"`,
  parentItemId: () => pick(['null', PARENT]),
  latitude: () => pick(['37.56', '0', '-80', '51.5']),
  longitude: () => pick(['126.97', '0', '179.9']),
  radius: () => pick(RADII),
  within: () =>
    pick(['{ west: -180, south: -90, east: 180, north: 90 }', '{ west: 126, south: 37, east: 128, north: 38 }']),
}

const PARENT = JSON.stringify(String((await database.prisma.item.findFirst({ where: { children: { some: {} } } }))?.id))

const FILTERS = ['categoryCode', 'administrativeAreaCode', 'addressRegion', 'postalCode'] as const

interface Shape {
  field: string
  required: readonly string[]
  optional: readonly string[]
  wrap: (field: string, selection: string) => string
}

const SHAPES: readonly [Shape, ...Shape[]] = [
  {
    field: 'items',
    required: [],
    optional: ['page', 'limit', 'sort', 'order', 'parentItemId', ...FILTERS],
    wrap: (field, item) => `dataset(id: "towns") { ${field} { total nodes { ${item} } } }`,
  },
  {
    field: 'itemConnection',
    required: [],
    optional: ['first', 'sort', 'order', 'parentItemId', ...FILTERS],
    wrap: (field, item) => `dataset(id: "towns") { ${field} { totalCount nodes { ${item} } } }`,
  },
  {
    field: 'searchItems',
    required: ['text'],
    optional: ['page', 'limit', 'within', ...FILTERS],
    wrap: (field, item) => `${field} { total nodes { ${item} } }`,
  },
  {
    field: 'nearbyItems',
    required: ['latitude', 'longitude'],
    optional: ['radius', 'page', 'limit', ...FILTERS],
    wrap: (field, item) => `${field} { total nodes { distance item { ${item} } } }`,
  },
  {
    field: 'suggestItems',
    required: ['text'],
    optional: ['limit', 'categoryCode', 'within'],
    wrap: (field, item) => `${field} { ${item} }`,
  },
]

function randomField(): Field {
  const shape = pick(SHAPES)
  const names = [...shape.required, ...shape.optional.filter(() => random(2) === 0)]
  return {
    name: shape.field,
    args: Object.fromEntries(names.map((name) => [name, ARGUMENTS[name]?.() ?? ''])),
    selection: pick(ITEM),
  }
}

/** Changes one part of an operation. */
function mutate(fields: readonly Field[]): Field[] {
  const next = structuredClone([...fields])
  const field = next[random(next.length)]
  const change = random(4)
  if (change === 0 || !field) next.push(randomField())
  else if (change === 1 && next.length > 1) next.splice(next.indexOf(field), 1)
  else if (change === 2) field.selection = pick(ITEM)
  else for (const name of Object.keys(field.args)) if (random(2) === 0) field.args[name] = ARGUMENTS[name]?.() ?? ''
  return next
}

function print(fields: readonly Field[]): string {
  const parts = fields.map(({ name, args, selection }, n) => {
    const list = Object.entries(args).map(([argument, value]) => `${argument}: ${value}`)
    const call = list.length > 0 ? `${name}(${list.join(', ')})` : name
    const wrapped = SHAPES.find(({ field }) => field === name)?.wrap(call, selection) ?? ''
    return `f${n}: ${wrapped}`
  })
  return `{ ${parts.join(' ')} }`
}

interface Measured {
  fields: readonly Field[]
  cost: number
  ms: number
}

/** Undefined for an operation that is refused. */
async function measure(fields: readonly Field[]): Promise<Measured | undefined> {
  let ms = Number.POSITIVE_INFINITY
  let cost = 0
  for (let run = 0; run < RUNS; run += 1) {
    statementMs = 0
    const response = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ query: print(fields), extensions: { cost: true } }),
    })
    const body: { errors?: unknown; extensions?: { cost: { requested: number } } } = response.json()
    if (body.errors) return undefined
    ms = Math.min(ms, statementMs)
    cost = body.extensions?.cost.requested ?? 0
  }
  return { fields, cost, ms }
}

const perCost = ({ ms, cost }: Measured) => ms / cost

let worst: Measured[] = []
for (let round = 0; round < Number(values.rounds); round += 1) {
  const candidates = [
    [randomField()],
    [randomField()],
    ...worst.flatMap(({ fields }) => Array.from({ length: CHILDREN }, () => mutate(fields))),
  ]
  for (const fields of candidates) {
    const measured = await measure(fields)
    if (measured) worst.push(measured)
  }
  worst = worst.toSorted((a, b) => perCost(b) - perCost(a)).slice(0, SURVIVORS)
}
for (const each of worst) {
  process.stdout.write(
    `${perCost(each).toFixed(3)} ms for each unit of cost (${each.ms.toFixed(0)} ms, cost ${each.cost})\n  ${print(each.fields)}\n`,
  )
}
await app.close()
await database.close()
