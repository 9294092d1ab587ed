import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../simulate/connection.ts'
import { environment, type Finished, runCatalog, runProcess } from '../support/process.ts'
import type { Stage } from './stage.ts'

/** What the commands of an operator did. */
export interface Operations {
  commands: number
  failed: number
  /** A line for each command that did half of its work, failed without one clear line, or could not be repeated. */
  faults: string[]
}

const SLUG = 'imported'
const ITEMS = 2_000

/** An operator who imports a dataset, undoes that and makes a backup of a replica, in turns. All texts of a state have its mark. */
export class Operator {
  readonly #stage: Stage
  readonly #folder: string
  #number = 0
  #done: Operations = { commands: 0, failed: 0, faults: [] }

  constructor(stage: Stage) {
    this.#stage = stage
    this.#folder = join(stage.folder, 'operator')
  }

  /** Works until the end. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      for (const name of ['import', 'undo', 'backup'] as const) {
        await sleep(500)
        if (isOver()) break
        const { code, stdout, stderr } = await this[name]()
        if (name === 'backup') {
          this.#expect('a backup has one state', code !== 0 || isWhole(stdout), stdout)
        } else {
          this.#expect(`a failed ${name} prints one line`, code === 0 || /^catalog: [^\n]+\n$/.test(stderr), stderr)
          await this.#expectWhole(name, isOver)
        }
      }
    }
  }

  /** Repeats each command on a healthy cluster, and returns what all commands did since the last call. */
  async finish(): Promise<Operations> {
    const before = await this.#read()
    for (const name of ['import', 'undo', 'backup'] as const) {
      const { code, stderr } = await this[name]()
      this.#expect(`${name} can be repeated`, code === 0, stderr)
      const state = await this.#read()
      const wanted = name === 'import' ? this.#mark : before
      this.#expect(`after ${name} the state is "${wanted}"`, state === wanted, state)
    }
    const done = this.#done
    this.#done = { commands: 0, failed: 0, faults: [] }
    return done
  }

  get #mark(): string {
    return `I${this.#number}-x`
  }

  async import(): Promise<Finished> {
    this.#number += 1
    const dataset = { slug: SLUG, name: this.#mark, status: 'active', visibility: 'restricted', attribution: 'Test' }
    const item = { name: this.#mark, administrativeAreaCode: '11', categoryCode: 'x', latitude: 1, longitude: 1 }
    const items = Array.from({ length: ITEMS }, (_, n) => JSON.stringify({ externalId: `${n}`, ...item }))
    await mkdir(this.#folder, { recursive: true })
    await writeFile(join(this.#folder, 'items.ndjson'), items.join('\n'))
    const manifest = join(this.#folder, 'manifest.json')
    await writeFile(manifest, JSON.stringify({ dataset, items: 'items.ndjson' }))
    return this.#count(await runCatalog(this.#stage.env, 'import', manifest))
  }

  async undo(): Promise<Finished> {
    return this.#count(await runCatalog(this.#stage.env, 'undo', SLUG, '--allow-removals', '--allow-moves'))
  }

  async backup(): Promise<Finished> {
    const tables = ['--data-only', '--table=datasets', '--table=items']
    return this.#count(await runProcess('pg_dump', [...tables, this.#stage.replicasUrl], environment({})))
  }

  #count(finished: Finished): Finished {
    this.#done.commands += 1
    if (finished.code !== 0) this.#done.failed += 1
    return finished
  }

  #expect(what: string, holds: boolean, found: string): void {
    if (!holds) this.#done.faults.push(`not so: ${what}; ${found.slice(0, 500)}`)
  }

  /** Waits for a leader, and looks at the dataset. */
  async #expectWhole(name: string, isOver: () => boolean): Promise<void> {
    for (; !isOver(); await sleep(500)) {
      const state = await this.#read().catch(() => undefined)
      if (state === undefined) continue
      return this.#expect(`${name} does all or nothing`, /^(?:I\d+-x)?$/.test(state), state)
    }
  }

  /** The mark of the dataset, an empty text if there is none, or else what is there. */
  async #read(): Promise<string> {
    const connectionString = this.#stage.leaderUrl
    const connection = await Connection.open({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 5_000 })
    try {
      const rows = await connection.execute(`
        SELECT CASE WHEN count(i) = ${ITEMS} AND count(*) FILTER (WHERE i.name <> d.name) = 0 THEN d.name
          ELSE d.name || ' with ' || count(i) || ' items' END AS state
        FROM datasets d LEFT JOIN items i ON i.dataset_id = d.id WHERE d.slug = '${SLUG}' GROUP BY d.id, d.name`)
      return rows.length === 0 ? '' : String(Object(rows[0]).state)
    } finally {
      void connection.close().catch(() => {})
    }
  }
}

/** Whether the rows of a backup have one mark of each writer. */
function isWhole(rows: string): boolean {
  const marksOf = (mark: RegExp) => new Set(rows.match(mark)).size
  return marksOf(/\bI\d+-x\b/g) <= 1 && marksOf(/\bS\d+-[0-9a-z]+\b/g) === 1
}
