import { createReadStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { z } from 'zod'

/*
 * The items of one complete state, or those that differ from the state before, collected from pages. Most lines of a page are in the order of
 * their ids: they go into a file as they are. The others are kept in memory. So a million items take no memory.
 */

/** An item by its id: its line in the export, or null if it is not there any more. */
export type CollectedItem = readonly [id: string, line: string | null]

const PUT = '{"put":'
const DELETE = '{"delete":"'
const DATASET = '{"dataset":'

/** The id of an item, with which its line begins. To parse the whole line would take most of the time. */
function idOf(line: string): string {
  const begin = '{"id":"'.length
  return line.slice(begin, line.indexOf('"', begin))
}

/** Where another process can go on, and the length of the file then. */
export const begun = z.object({ lastId: z.string(), bytes: z.number(), dataset: z.string().optional() })
type Begun = z.output<typeof begun>

/** What was collected. */
export class Collected {
  /** Whether an item that is not among them is not there any more. */
  readonly isWhole: boolean
  /** The dataset with its labels, as JSON; undefined if no page had it. */
  dataset: string | undefined
  readonly #path: string
  readonly #others = new Map<string, string | null>()
  #lastId: string
  #bytes: number

  /** @param earlier what an earlier process has collected in the file */
  constructor(path: string, isWhole: boolean, earlier: Begun = { lastId: '', bytes: 0 }) {
    this.#path = path
    this.isWhole = isWhole
    this.dataset = earlier.dataset
    this.#lastId = earlier.lastId
    this.#bytes = earlier.bytes
  }

  /** Whether there is nothing to apply. */
  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#others.size === 0 && this.dataset === undefined
  }

  /** Undefined if another process can not go on. */
  get position(): Begun | undefined {
    return this.#others.size > 0 ? undefined : { lastId: this.#lastId, bytes: this.#bytes, dataset: this.dataset }
  }

  /** Adds the lines of a page, without its last one. */
  async add(lines: readonly string[]): Promise<void> {
    const sorted: string[] = []
    for (const line of lines) {
      if (line.startsWith(PUT)) {
        const item = line.slice(PUT.length, -1)
        const id = idOf(item)
        if (id > this.#lastId && !this.#others.has(id)) {
          this.#lastId = id
          sorted.push(`${item}\n`)
        } else this.#others.set(id, item)
      } else if (line.startsWith(DELETE)) this.#others.set(line.slice(DELETE.length, -2), null)
      else if (line.startsWith(DATASET)) this.dataset = line.slice(DATASET.length, -1)
    }
    const text = sorted.join('')
    await appendFile(this.#path, text)
    this.#bytes += Buffer.byteLength(text)
  }

  /** The items by id, each once, as it was last. */
  items(): AsyncGenerator<CollectedItem> {
    const others = [...this.#others].sort(([a], [b]) => (a < b ? -1 : 1))
    return mergeSorted(this.#bytes === 0 ? [] : readItems(this.#path), others)
  }
}

/** Merges items that are sorted by id. Of two with the same id, the second list has the one that counts. */
export async function* mergeSorted(
  first: AsyncIterable<CollectedItem> | Iterable<CollectedItem>,
  second: AsyncIterable<CollectedItem> | Iterable<CollectedItem>,
): AsyncGenerator<CollectedItem> {
  const iterator = toAsync(second)
  let next = await iterator.next()
  for await (const item of toAsync(first)) {
    while (!next.done && next.value[0] < item[0]) {
      yield next.value
      next = await iterator.next()
    }
    if (!next.done && next.value[0] === item[0]) continue
    yield item
  }
  for (; !next.done; next = await iterator.next()) yield next.value
}

async function* toAsync<Value>(values: AsyncIterable<Value> | Iterable<Value>): AsyncGenerator<Value> {
  yield* values
}

/** The items of a file with a JSON object on each line. Not by `readline`, which also splits at U+2028. */
export async function* readItems(path: string): AsyncGenerator<CollectedItem> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield [idOf(line), line]
  }
}
