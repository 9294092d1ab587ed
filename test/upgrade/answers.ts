import { z } from 'zod'

/*
 * What clients got from a release, and what the commands printed: one request of each kind with each key.
 */

/** The content of `answers.json`, which write.ts writes. */
export const answersFile = z.object({
  /** Keys by name. `old` is a retired secret of `partner`. */
  keys: z.record(z.string(), z.string()),
  answers: z.array(
    z.object({
      key: z.string(),
      path: z.string(),
      status: z.number(),
      etag: z.string().nullable(),
      /** In base64 if it is no text. */
      body: z.string(),
    }),
  ),
  /** The output of commands, by their arguments. */
  commands: z.record(z.string(), z.json()),
})

export type Answers = z.output<typeof answersFile>

const ITEMS = '/v1/datasets/seoul-landmarks/items'

/** With each key. */
const PATHS_OF_KEYS = ['/v1/datasets', '/v1/datasets/korea-heritage', '/v1/datasets/seoul-markets/items']

/** With the first key. */
const PATHS = [
  '/v1/datasets/seoul-landmarks',
  `${ITEMS}?limit=7&page=2`,
  `${ITEMS}?sort=updatedAt&order=desc&limit=3`,
  `${ITEMS}?categoryCode=palace`,
  '/v1/dataset-items/nearby?latitude=37.5796&longitude=126.977&radius=3000&limit=5',
  '/search?text=gyeong&limit=5',
  '/exports/seoul-markets.csv',
  '/exports/world-airports.ndjson',
  '/ogc/collections/world-airports/items?limit=2',
  '/tiles/seoul-landmarks/11/1746/793.mvt',
]

/** The third page of a list, by the cursor of the second: a cursor of a release works in the next one. */
const connectionPath = (cursor: string | null) =>
  `/graphql?query=${encodeURIComponent(`{ dataset(id: "seoul-landmarks") {
    description updatedAt categories { code label total }
    itemConnection(first: 3, sort: UPDATED_AT, after: ${JSON.stringify(cursor)}) {
      edges { cursor node { id name updatedAt images { id cdnUrl } parent { id } } } pageInfo { endCursor hasNextPage }
    } } }`)}`

const COMMANDS = ['datasets', 'datasets show seoul-landmarks', 'history', 'keys list', 'access list partner']

/** The commands whose output is compared, with `--json`. */
export const jsonCommands = COMMANDS.map((command) => `${command} --json`)

/** Sends one request. The address of the gateway in the body becomes `http://gateway`. */
export async function ask(url: string, keys: Answers['keys'], { key, path }: { key: string; path: string }) {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${keys[key]}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text).equals(bytes)
  const body = isText
    ? text.replaceAll(url, 'http://gateway').replace(/"(?:requestId|timeStamp)":"[^"]*"/, '')
    : bytes.toString('base64')
  // A tag is the hash of a body, which has the address of the gateway here.
  const etag = body === text || !isText ? response.headers.get('etag') : null
  return { key, path, status: response.status, etag, body }
}

/** Sends all requests. */
export async function askAll(url: string, keys: Answers['keys']): Promise<Answers['answers']> {
  const [key = ''] = Object.keys(keys)
  const requests = [
    ...Object.keys(keys).flatMap((each) => PATHS_OF_KEYS.map((path) => ({ key: each, path }))),
    ...PATHS.map((path) => ({ key, path })),
  ]
  const answers: Answers['answers'] = []
  for (const request of requests) answers.push(await ask(url, keys, request))
  let cursor: string | null = null
  for (let page = 1; page <= 3; page += 1) {
    const answer = await ask(url, keys, { key, path: connectionPath(cursor) })
    answers.push(answer)
    cursor = /"endCursor":"([^"]*)"/.exec(answer.body)?.[1] ?? null
  }
  return answers
}
