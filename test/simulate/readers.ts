import { setTimeout as sleep } from 'node:timers/promises'
import { randomQuestion } from './doors.ts'
import { type Exchange, type Fault, type Judge, REFUSED } from './judge.ts'
import type { Answer, Question } from './question.ts'
import { Random } from './random.ts'
import type { Gateway } from './stage.ts'
import type { World } from './world.ts'

export interface ReaderContext {
  seed: number
  world: World
  gateways: readonly Gateway[]
  judge: Judge
  counts: { requests: number; unchanged: number }
  report: (gateway: Gateway, exchange: Exchange, fault: Fault) => void
  isEnding: () => boolean
}

/** The bodies of the answers to a question by their entity tags, for 304. */
type Tags = Map<string, Answer>

/** A question that several readers ask, so that the response cache has it. */
export interface PooledQuestion {
  question: Question
  tags: Tags
}

const POOL_SIZE = 60

export function createPool(seed: number, world: World): PooledQuestion[] {
  const random = new Random(`${seed} questions`)
  return Array.from({ length: POOL_SIZE }, () => ({ question: randomQuestion(random, world), tags: new Map() }))
}

/** Asks questions until the end: one key alone, all keys in turn or at the same time, the same key again. */
export async function readAnswers(context: ReaderContext, pool: PooledQuestion[], name: string): Promise<void> {
  const random = new Random(`${context.seed} reader ${name}`)
  const keys = context.world.tokens.map((_, n) => n)
  while (!context.isEnding()) {
    const gateway = random.pick(context.gateways)
    const pooled = nextQuestion(context, pool, random)
    const ask = (key: number) => exchange(context, random, { gateway, pooled, key })
    const order = random.weighted({ one: 3, turn: 5, together: 2, again: 2, poll: 1 })
    if (order === 'one') await ask(random.pick(keys))
    if (order === 'turn') for (const key of random.shuffle(keys)) await ask(key)
    if (order === 'together') await Promise.all(random.shuffle(keys).map(ask))
    if (order === 'again') for (const key of Array.from({ length: 3 }, () => random.pick(keys))) await ask(key)
    if (order === 'poll') await poll(context, random, { gateway, pooled, keys })
    if (random.chance(0.3)) await sleep(random.mostlyLow(0, 200))
  }
}

/** All keys ask the same question in turn for some seconds, whatever changes meanwhile. */
async function poll(
  context: ReaderContext,
  random: Random,
  { gateway, pooled, keys }: Omit<Asked, 'key'> & { keys: readonly number[] },
): Promise<void> {
  for (let left = 15; left > 0; left -= 1) {
    for (const key of random.shuffle(keys)) await exchange(context, random, { gateway, pooled, key })
    await sleep(random.below(100))
  }
}

/** Mostly a question of the pool, more often one of its first; now and then a new one takes the place of another. */
function nextQuestion({ world }: ReaderContext, pool: PooledQuestion[], random: Random): PooledQuestion {
  const place = Math.floor(random.mostlyLow(0, pool.length))
  if (random.chance(0.03)) pool[place] = { question: randomQuestion(random, world), tags: new Map() }
  const pooled = pool[place]
  if (!pooled) throw new RangeError('The pool is empty')
  return pooled
}

interface Asked {
  gateway: Gateway
  pooled: PooledQuestion
  key: number
}

async function exchange(context: ReaderContext, random: Random, { gateway, pooled, key }: Asked): Promise<void> {
  if (context.isEnding()) return
  const { question, tags } = pooled
  const known = question.method === 'GET' && random.chance(0.3) ? random.shuffle([...tags])[0] : undefined
  const start = performance.now()
  const patienceMs = random.chance(0.1) ? random.below(60) : REQUEST_TIMEOUT_MS
  const answer = await send(gateway, question, context.world.tokens[key] ?? '', { known: known?.[0], patienceMs })
  const end = performance.now()
  if (answer === undefined) return
  context.counts.requests += 1
  if (answer.status === 304) context.counts.unchanged += 1
  const { tag } = answer
  if (tag !== undefined && answer.status === 200) remember(tags, tag, answer)
  const full = answer.status === 304 && known ? known[1] : answer
  const exchanged: Exchange = { question, key, start, end, body: full.body, observed: question.observe(full) }
  if (exchanged.observed.outcome === REFUSED) pooled.question = randomQuestion(random, context.world)
  const fault = context.judge.judge(exchanged)
  if (fault) context.report(gateway, exchanged, fault)
}

const MAX_TAGS = 30

function remember(tags: Tags, tag: string, answer: Answer): void {
  tags.set(tag, answer)
  const [oldest] = tags.keys()
  if (tags.size > MAX_TAGS && oldest !== undefined) tags.delete(oldest)
}

/** The gateway answers 503 sooner. */
const REQUEST_TIMEOUT_MS = 60_000

interface Sending {
  /** The entity tag of an answer that the client has. */
  known: string | undefined
  /** After this time the client disconnects. */
  patienceMs: number
}

/** Sends a question. Returns undefined if the client disconnected, or the connection was cut within the answer, as an export may be. */
async function send(
  { url }: Gateway,
  { method, path, headers, body }: Question,
  token: string,
  { known, patienceMs }: Sending,
): Promise<(Answer & { tag: string | undefined }) | undefined> {
  const all = {
    ...headers,
    authorization: `Bearer ${token}`,
    'accept-encoding': 'identity',
    ...(known && { 'if-none-match': known }),
  }
  const signal = AbortSignal.timeout(patienceMs)
  const init = { method, headers: all, signal, ...(body !== undefined && { body }) }
  const response = await fetch(url + path, init).catch((error: unknown) => {
    if (patienceMs < REQUEST_TIMEOUT_MS && signal.aborted) return undefined
    throw error
  })
  const bytes = await response?.arrayBuffer().catch(() => undefined)
  if (!response || bytes === undefined) return undefined
  return { status: response.status, body: Buffer.from(bytes), tag: response.headers.get('etag') ?? undefined }
}
