import { HIDDEN } from './hidden.ts'
import { FRESH_MS, type History, type Span } from './history.ts'
import { failed, type Observed, type Question, textOf } from './question.ts'
import { rightsOf, View } from './view.ts'
import type { Catalog, Key } from './world.ts'

/** A question as one key asked it, and the answer. Times are in milliseconds of `performance.now`. */
export interface Exchange {
  question: Question
  /** The number of the key. */
  key: number
  start: number
  end: number
  body: Buffer
  observed: Observed
}

/** Why no state explains an answer, and the answers that the model expects. */
export interface Fault {
  kind: string
  detail: string
  expected: string[]
}

/** The outcome of a document that costs too much. */
export const REFUSED = 'VALIDATION_FAILED'

/** Compares answers with the states of a history. */
export class Judge {
  readonly #history: History
  readonly counts = { judged: 0, candidates: 0, unavailable: 0, refused: 0 }

  constructor(history: History) {
    this.#history = history
  }

  /**
   * Returns the fault of an answer; undefined if it is what the model says for one state of the catalog and of the key, and has nothing
   * that is hidden from all keys.
   */
  judge(exchange: Exchange): Fault | undefined {
    const { body, observed } = exchange
    if (body.includes(HIDDEN)) return this.#explain(exchange)
    if (observed.outcome === 'SERVICE_UNAVAILABLE' || observed.outcome === REFUSED) {
      this.counts[observed.outcome === REFUSED ? 'refused' : 'unavailable'] += 1
      return undefined
    }
    this.counts.judged += 1
    const [catalogs, keys] = this.#candidates(exchange, exchange.key)
    this.counts.candidates += catalogs.length
    const pairs = catalogs.flatMap((catalog) => keys.map((key) => [catalog, key] as const))
    const explains = pairs.find(([catalog, key]) => areTogether(catalog, key) && isAnswer(exchange, catalog, key))
    return explains ? undefined : this.#explain(exchange)
  }

  #candidates({ start, end }: Exchange, key: number): [Span<Catalog>[], Span<Key | undefined>[]] {
    const from = start - FRESH_MS
    return [
      this.#history.spans(from, end, ({ catalog }) => catalog),
      this.#history.spans(from, end, ({ keys }) => keys[key]),
    ]
  }

  /** The first of these reasons that fits. They name what to look at; the verdict does not depend on them. */
  #explain(exchange: Exchange): Fault {
    const { body, observed, key } = exchange
    const [catalogs, keys] = this.#candidates(exchange, key)
    const expected = this.#expected(exchange, catalogs, keys)
    const changes = this.#history.spans(exchange.start, exchange.end, (state) => state).map(({ moment }) => moment)
    const during = changes.map(({ number, label }) => `#${number} ${label}`).reverse()
    const fault = (kind: string, detail: string): Fault => ({
      kind,
      detail: `${detail}; during ${during.join(', ')}`,
      expected,
    })
    // However old an answer may be, no key has had the right to see this.
    if (body.includes(HIDDEN)) return fault('hidden content', 'written while no key may read it')
    if (observed.outcome === 'INTERNAL_ERROR') return fault('internal error', 'status 500')
    for (const catalog of catalogs) {
      const old = keys.find((each) => isAnswer(exchange, catalog, each))
      if (!old) continue
      const gap = Math.round(gapOf(catalog, old))
      const detail = `the key of #${old.moment.number} reads the catalog of #${catalog.moment.number}, ${gap} ms apart`
      return fault('withdrawn right', detail)
    }
    return this.#oldState(exchange, fault) ?? fault('no state', 'nothing explains it')
  }

  #oldState(exchange: Exchange, fault: (kind: string, detail: string) => Fault): Fault | undefined {
    const { start, key } = exchange
    const catalogs = this.#history.spans(-Infinity, start, ({ catalog }) => catalog)
    const keys = this.#history.spans(-Infinity, start, ({ keys }) => keys[key])
    for (const catalog of catalogs) {
      const since = keys.find((each) => isAnswer(exchange, catalog, each))
      if (!since) continue
      const age = Math.round(start - Math.min(catalog.until, since.until))
      return fault('old state', `catalog of #${catalog.moment.number}, key of #${since.moment.number}, ${age} ms old`)
    }
    return undefined
  }

  /** Two expected answers that are most like the answer. */
  #expected(exchange: Exchange, catalogs: Span<Catalog>[], keys: Span<Key | undefined>[]): string[] {
    const text = textOf(exchange.observed)
    const texts = catalogs.flatMap((catalog) =>
      keys.map((key) => ({
        number: catalog.moment.number,
        label: catalog.moment.label,
        text: textOf(expectedOf(exchange, catalog, key)),
      })),
    )
    const unique = [...new Map(texts.map((each) => [each.text, each])).values()]
    unique.sort((a, b) => likeness(b.text, text) - likeness(a.text, text))
    return unique.slice(0, 2).map((each) => `#${each.number} (${each.label}): ${each.text}`)
  }
}

/** A key and a catalog belong together if both were current within the promised time. */
function areTogether(catalog: Span<Catalog>, key: Span<unknown>): boolean {
  return gapOf(catalog, key) <= FRESH_MS
}

function gapOf(a: Span<unknown>, b: Span<unknown>): number {
  return Math.max(0, a.from - b.until, b.from - a.until)
}

function isAnswer(exchange: Exchange, catalog: Span<Catalog>, key: Span<Key | undefined>): boolean {
  return textOf(expectedOf(exchange, catalog, key)) === textOf(exchange.observed)
}

function expectedOf({ question }: Exchange, catalog: Span<Catalog>, key: Span<Key | undefined>): Observed {
  if (!key.value || key.value.isRevoked) return failed('UNAUTHORIZED')
  return question.expect(new View(catalog.value, rightsOf(key.value, catalog.value)))
}

/** The number of characters that two texts have in common at the start and at the end. */
function likeness(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let start = 0
  while (start < length && a[start] === b[start]) start += 1
  let end = 0
  while (end < length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return start + end
}
