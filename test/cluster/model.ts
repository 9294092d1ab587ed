import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../simulate/connection.ts'

/*
 * The model of one dataset. A writer gives it one state after the other: each has a mark, which is in every text of the dataset and of its
 * items. Times are those of `performance.now`.
 */

/** A state of the dataset. */
interface State {
  /** The state that it replaced. */
  parent: string | undefined
  /** When its transaction began. */
  from: number
  /** When a state was acknowledged that took its place. Without one, it may be the current state. */
  until: number
  /** The commit was acknowledged. */
  isAcknowledged: boolean
  /** The next leader did not have it. */
  isLost: boolean
}

/** What a response showed: the marks in it. */
export interface Answer {
  door: string
  start: number
  end: number
  marks: readonly string[]
}

const MARK = /\bS\d+-[0-9a-z]+\b/g

/** The different marks in a text. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(MARK))]
}

/** A response may be so old. */
const MAX_AGE_MS = 1_000

export class Model {
  readonly #states = new Map<string, State>()
  #number = 0
  #last: string | undefined
  #writes = 0
  #lost = 0

  /** The numbers of acknowledged states, and of those that the next leader did not have. */
  get counts(): { written: number; lost: number } {
    return { written: this.#writes, lost: this.#lost }
  }

  /** Returns a new mark, before it is written. */
  begin(): string {
    this.#number += 1
    const mark = `S${this.#number}-${Math.random().toString(36).slice(2, 8)}`
    const from = performance.now()
    this.#states.set(mark, { parent: undefined, from, until: Infinity, isAcknowledged: false, isLost: false })
    return mark
  }

  /** Notes which state the transaction of a mark replaces. */
  replace(mark: string, parent: string): void {
    const state = this.#states.get(mark)
    if (state) state.parent = parent
  }

  /** Notes that the commit of a mark was acknowledged. All other states are over. */
  acknowledge(mark: string): void {
    const now = performance.now()
    const history = this.#historyOf(mark)
    for (const [other, state] of this.#states) {
      if (other !== mark && state.until === Infinity) state.until = now
    }
    const parent = this.#states.get(this.#states.get(mark)?.parent ?? '')
    // If the new leader lacks states, then it showed this one again.
    if (parent) parent.until = now
    for (let lost = this.#last; lost !== undefined && !history.has(lost); lost = this.#states.get(lost)?.parent) {
      const state = this.#states.get(lost)
      if (state?.isAcknowledged) this.#lost += 1
      if (state) state.isLost = true
    }
    const state = this.#states.get(mark)
    if (state) state.isAcknowledged = true
    this.#writes += 1
    this.#last = mark
  }

  /** The last states that led to a state. */
  #historyOf(mark: string): Set<string> {
    const history = new Set<string>()
    for (let each: string | undefined = mark; each !== undefined && history.size < 10_000; ) {
      history.add(each)
      each = this.#states.get(each)?.parent
    }
    return history
  }

  /** Returns what is wrong with an answer; undefined if it is right. All states that were current until it ended are known. */
  judge({ start, end, marks }: Answer): 'mixed' | 'never written' | 'lost' | 'old' | undefined {
    const [mark, ...others] = marks
    if (others.length > 0) return 'mixed'
    const state = this.#states.get(mark ?? '')
    if (!state || state.from > end) return 'never written'
    if (state.until + MAX_AGE_MS >= start) return undefined
    return state.isLost ? 'lost' : 'old'
  }

  /** Says how long before an answer its states were over, for a fault. */
  describe({ start, end, marks }: Answer): string {
    const ages = marks.map((mark) => Math.round(start - (this.#states.get(mark)?.until ?? Number.NaN)))
    return `over ${ages} ms before a request of ${Math.round(end - start)} ms`
  }
}

export const DATASET = { slug: 'states', id: '5e5e5e5e-0000-4000-8000-000000000000' }
export const ITEMS = Array.from({ length: 6 }, (_, n) => `5e5e5e5e-0000-4000-8000-00000000000${n + 1}`)

/** Writes the dataset in its first state. */
export async function createDataset(url: string, model: Model): Promise<void> {
  const mark = model.begin()
  const connection = await Connection.open(url)
  await connection.execute(`
    INSERT INTO datasets (id, slug, name, description, status, visibility, attribution, created_at, updated_at)
    VALUES ('${DATASET.id}', '${DATASET.slug}', '${mark}', '${mark}', 'active', 'public', 'Test', now(), now());
    INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
    SELECT id, '${DATASET.id}', '${mark}', '${mark}', '11', 'x', 37.5, 127, now(), now() FROM unnest('{${ITEMS}}'::uuid[]) AS id`)
  await connection.close()
  model.acknowledge(mark)
}

/** Writes one state after the other until the end, as a program would: after a failure it connects again. */
export async function write(url: string, model: Model, isOver: () => boolean): Promise<void> {
  const config = { connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 5_000 }
  while (!isOver()) {
    const connection = await Connection.open(config).catch(() => undefined)
    while (connection && !isOver()) {
      if (!(await writeState(connection, model))) break
      await sleep(100)
    }
    void connection?.close().catch(() => {})
    await sleep(100)
  }
}

async function writeState(connection: Connection, model: Model): Promise<boolean> {
  try {
    await connection.execute('BEGIN')
    const found = await connection.execute(`SELECT name FROM datasets WHERE id = '${DATASET.id}' FOR UPDATE`)
    const mark = model.begin()
    model.replace(mark, Object(found[0]).name)
    const texts = `name = '${mark}', description = '${mark}'`
    await connection.execute(`UPDATE datasets SET ${texts} WHERE id = '${DATASET.id}'`)
    await connection.execute(`UPDATE items SET ${texts} WHERE dataset_id = '${DATASET.id}'`)
    await connection.execute('COMMIT')
    model.acknowledge(mark)
    return true
  } catch {
    return false
  }
}
