import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, codeOf, DEADLOCK } from './connection.ts'
import { type Env, type Finished, runCatalog } from './gateway.ts'
import { at } from './question.ts'
import type { Random } from './random.ts'
import { orderProblems, type Transaction } from './serial-order.ts'

export interface ContentionContext {
  seed: number
  folder: string
  env: Env
  connect: () => Promise<Connection>
  report: (kind: string, lines: string[]) => void
  isEnding: () => boolean
}

const DATASETS = ['north', 'south'] as const
type Slug = (typeof DATASETS)[number]

/** Two datasets with the same number of items, and writers at the same time. */
export class Trial {
  readonly #context: ContentionContext
  readonly #random: Random
  readonly #connections: readonly [Connection, Connection]
  readonly #folder: string
  readonly #name: string
  readonly #size: number

  constructor(
    context: ContentionContext,
    random: Random,
    connections: readonly [Connection, Connection],
    folder: string,
    number: number,
  ) {
    this.#context = context
    this.#random = random
    this.#connections = connections
    this.#folder = folder
    this.#size = random.pick([20, 300, 300, 2_000])
    this.#name = `trial ${number} with ${this.#size} items`
  }

  /** Creates both datasets anew. */
  async fill(): Promise<void> {
    const [connection] = this.#connections
    await connection.execute('DELETE FROM datasets')
    for (const [n, slug] of DATASETS.entries()) {
      await connection.execute(
        `INSERT INTO datasets (id, slug, name, description, status, visibility, attribution, created_at, updated_at)
         VALUES ('${datasetId(slug)}', '${slug}', '${slug}', 'g0', 'active', 'public', 'Simulation', now(), now())`,
      )
      await connection.execute(
        `INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
         SELECT (${n + 1} || lpad(n::text, 7, '0') || '-0000-4000-8000-000000000000')::uuid, '${datasetId(slug)}', 'Place ' || n,
                '11', 'gate', 37.5, 127, '2026-01-01', now() FROM generate_series(1, ${this.#size}) AS n`,
      )
    }
  }

  /** If both succeed, the dataset has all items of the file, which the import has created, or there is no dataset. */
  async importBesideRemoval(): Promise<void> {
    const [imported, removal] = await Promise.all([this.#import('g0', 0), this.#remove()])
    if (imported.code !== 0) return this.#reportFailure(imported)
    if (!removal) return
    const names = await this.#namesOf('north')
    const created = at(JSON.parse(imported.stdout), 'created')
    if (names === undefined || (names.size === this.#size && created === this.#size)) return
    const found = `the dataset has ${names.size} items after ${removal}`
    this.#context.report('lost items', [`${this.#name}: the import says ${imported.stdout.trim()}, but ${found}`])
  }

  /** The import comes at one place in the order of the other transactions. */
  async importBesideChanges(): Promise<void> {
    const text = `Import ${this.#random.below(1_000)}`
    const changed = this.#random.pick([0, 2, this.#size])
    const isDone = { value: false }
    const importing = this.#import(text, changed).finally(() => {
      isDone.value = true
    })
    const streams = await Promise.all(this.#connections.map((connection, n) => this.#change(connection, n, isDone)))
    const imported = await importing
    if (imported.code !== 0) return this.#reportFailure(imported)
    const names = (await this.#namesOf('north')) ?? new Map()
    const problems = orderProblems({ names, transactions: streams.flat(), imported: this.#namesInFile(text, changed) })
    if (problems.length === 0) return
    this.#context.report('no order of the writers', [`${this.#name}: ${problems.slice(0, 3).join('; ')}`])
  }

  /** Items move between two datasets in both directions. */
  async moves(): Promise<void> {
    const moveAll = async (connection: Connection, from: number, to: Slug) => {
      for (let n = 1; n <= 15; n += 1) {
        const id = itemId(from, this.#random.below(this.#size) + 1)
        await this.#attempt(`moves to ${to}`, async () => {
          await connection.execute(`UPDATE items SET dataset_id = '${datasetId(to)}' WHERE id = '${id}'`)
        })
      }
    }
    await Promise.all([moveAll(this.#connections[0], 1, 'south'), moveAll(this.#connections[1], 2, 'north')])
  }

  /** The names in the file: the first items have another name than before. */
  #namesInFile(text: string, changed: number): string[] {
    return Array.from({ length: this.#size }, (_, n) => (n < changed ? text : `Place ${n + 1}`))
  }

  /** Imports a file for `north` with the text as description. */
  async #import(text: string, changed: number): Promise<Finished> {
    const dataset = { id: datasetId('north'), slug: 'north', name: 'north', description: text }
    const manifest = { dataset: { ...dataset, status: 'active', visibility: 'public', attribution: 'Simulation' } }
    const rows = this.#namesInFile(text, changed).map((name, n) => ({
      ...{ id: itemId(1, n + 1), name },
      ...{ administrativeAreaCode: '11', categoryCode: 'gate', latitude: '37.5', longitude: '127' },
      createdAt: '2026-01-01T00:00:00.000Z',
    }))
    const path = join(this.#folder, 'manifest.json')
    await writeFile(path, JSON.stringify({ ...manifest, items: 'items.ndjson' }))
    await writeFile(join(this.#folder, 'items.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return this.#command('import', '--allow-removals', '--allow-moves', '--json', path)
  }

  async #command(...args: string[]): Promise<Finished> {
    return runCatalog(this.#context.folder, this.#context.env, ...args)
  }

  /** No other writer can make a command fail. */
  #reportFailure({ stderr }: Finished): void {
    const kind = stderr.includes('deadlock') ? 'deadlock detected' : 'failed command'
    this.#context.report(kind, [`${this.#name}: ${stderr.trim()}`])
  }

  /** Removes the dataset after some time, with the command or in a transaction. Returns how; undefined if it failed. */
  async #remove(): Promise<string | undefined> {
    await sleep(this.#random.below(1_500))
    if (this.#random.chance(0.4)) {
      const removed = await this.#command('datasets', 'remove', 'north', '--yes')
      if (removed.code === 0) return 'catalog datasets remove'
      this.#reportFailure(removed)
      return undefined
    }
    const [connection] = this.#connections
    const isDone = await this.#attempt('DELETE FROM datasets', async () => {
      await connection.execute('BEGIN')
      await connection.execute(`DELETE FROM datasets WHERE slug = 'north'`)
      await sleep(this.#random.below(1_000))
      await connection.execute('COMMIT')
    })
    return isDone ? 'DELETE FROM datasets' : undefined
  }

  /** Changes the names of one or two items in each transaction until the import is done. Each connection has items of its own. */
  async #change(connection: Connection, parity: number, isDone: { value: boolean }): Promise<Transaction[]> {
    const transactions: Transaction[] = []
    while (!isDone.value) {
      const place = () => this.#random.below(this.#size / 2) * 2 + 1 + parity
      const numbers = [...new Set(this.#random.chance(0.5) ? [place()] : [place(), place()])].sort((a, b) => a - b)
      const text = `psql ${parity} ${transactions.length}`
      const start = performance.now()
      const isCommitted = await this.#attempt('UPDATE items', async () => {
        await connection.execute('BEGIN')
        for (const number of numbers) {
          await connection.execute(`UPDATE items SET name = '${text}' WHERE id = '${itemId(1, number)}'`)
        }
        if (this.#random.chance(0.2)) await sleep(this.#random.below(100))
        await connection.execute('COMMIT')
      })
      if (isCommitted) transactions.push({ numbers, text, start, end: performance.now() })
      await sleep(this.#random.below(15))
    }
    return transactions
  }

  /** Runs a transaction; returns false after a deadlock, which is a fault. */
  async #attempt(what: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run()
      return true
    } catch (error) {
      for (const connection of this.#connections) await connection.execute('ROLLBACK')
      if (codeOf(error) !== DEADLOCK) throw error
      this.#context.report('deadlock detected', [`${this.#name}: psql: ${what}`])
      return false
    }
  }

  /** The name of each item by its number; undefined if there is no dataset. */
  async #namesOf(slug: Slug): Promise<Map<number, string> | undefined> {
    const [connection] = this.#connections
    const datasets = await connection.execute(`SELECT FROM datasets WHERE slug = '${slug}'`)
    if (datasets.length === 0) return undefined
    const rows = await connection.execute(
      `SELECT substr(id::text, 2, 7)::integer AS n, name FROM items WHERE dataset_id = '${datasetId(slug)}'`,
    )
    return new Map(rows.map((row) => [Number(at(row, 'n')), String(at(row, 'name'))]))
  }
}

const datasetId = (slug: Slug) =>
  slug === 'north' ? 'aaaaaaaa-0000-4000-8000-000000000001' : 'aaaaaaaa-0000-4000-8000-000000000002'

const itemId = (dataset: number, number: number) =>
  `${dataset}${String(number).padStart(7, '0')}-0000-4000-8000-000000000000`
