import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config.ts'
import { createApp } from '../../src/server/app.ts'
import { median, timeOf } from './measure.ts'
import { CITY } from './seed.ts'
import { fillWorld, openWorld } from './world.ts'

/*
 * Measures the milliseconds and bytes of map tiles of 1,000,000 items (half of them in one city), over HTTP and without the
 * response cache. The PostgreSQL database must be empty or filled by an earlier run.
 *
 *   BENCH_DATABASE_URL=postgresql://superuser@host/a-database-of-its-own node test/bench/tiles.ts
 */

const SLUG = 'million'
const ITEMS = 1_000_000
const ROUNDS = 15
const ZOOMS = Array.from({ length: 19 }, (_, z) => z)

const url = process.env.BENCH_DATABASE_URL
if (!url) throw new Error('BENCH_DATABASE_URL must be the URL of a PostgreSQL database')
const database = await openWorld(url)
await fillWorld(database, [{ slug: SLUG, items: ITEMS, related: false }])
const { key } = await createKey(database.prisma, { name: 'tiles' })
const { limits } = readConfig({})
const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })

/** The path `z/x/y` of the tile that contains a place. */
function tileAt({ latitude, longitude }: { latitude: number; longitude: number }, z: number): string {
  const sine = Math.sin((latitude * Math.PI) / 180)
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z)
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z)
  return `${z}/${x}/${y}`
}

async function fetchTile(path: string): Promise<ArrayBuffer> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' }
  const response = await fetch(origin + path, { headers })
  if (response.status !== 200) throw new Error(`${path} is ${response.status}`)
  return response.arrayBuffer()
}

/** All items; a twentieth; one in a thousand; a text that finds a few hundred, and one that finds all; the greatest circle. */
const SELECTIONS = [
  ...['', '?categoryCode=c2', '?categoryCode=c2&administrativeAreaCode=a2', '?text=abc', '?text=place'],
  `?latitude=${CITY.latitude}&longitude=${CITY.longitude}&radius=50000`,
]

for (const dataset of [SLUG, 'all']) {
  for (const [z, selection] of SELECTIONS.flatMap((each) => ZOOMS.map((z) => [z, each] as const))) {
    const path = `/tiles/${dataset}/${tileAt(CITY, z)}.mvt${selection}`
    const { byteLength } = await fetchTile(path)
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timeOf(() => fetchTile(path)))
    const [least, middle, most] = [Math.min(...times), median(times), Math.max(...times)].map((ms) => ms.toFixed(1))
    process.stdout.write(`${path}  ${middle} ms (${least} to ${most})  ${byteLength} bytes\n`)
  }
}
await app.close()
await database.close()
