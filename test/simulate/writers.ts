import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from './change.ts'
import { CHANGES } from './changes.ts'
import { type Connection, codeOf, DEADLOCK, LOCK_NOT_AVAILABLE } from './connection.ts'
import type { History } from './history.ts'
import { Mutex } from './mutex.ts'
import { Random } from './random.ts'
import { refillStatements, type Statement, statementsBetween } from './sql.ts'
import type { State, World } from './world.ts'

/** What all writers of a simulation share. */
export interface WriterContext {
  seed: number
  world: World
  history: History
  /** Commits follow one another, so the history is one sequence. */
  commits: Mutex
  /** Held by a writer with a lock on a table, and by a command, which would wait for it. */
  tables: Mutex
  /** Number of writes, and the last number in the texts of changed records. */
  counts: { writes: number; lockTimeouts: number; mark: number }
  /** Whether all writers and gateways share one session of the database. */
  hasOneSession: boolean
  report: (kind: string, detail: string) => void
  isEnding: () => boolean
}

export function newWriterContext(
  given: Pick<WriterContext, 'seed' | 'world' | 'history' | 'hasOneSession' | 'report' | 'isEnding'>,
): WriterContext {
  return { ...given, commits: new Mutex(), tables: new Mutex(), counts: { writes: 0, lockTimeouts: 0, mark: 0 } }
}

/** The kinds of transactions, and how often each comes. */
const KINDS = {
  ...{ updateDatasets: 10, changeVisibility: 8, exchangeSlugs: 2, removeDataset: 1, createDataset: 4, changeItems: 12 },
  ...{
    exchangeRecords: 12,
    changeImages: 3,
    changeRights: 4,
    changeRevocation: 2,
    changeBoth: 4,
    refill: 3,
    recount: 3,
  },
} as const

/** Makes changes until the end, in bursts with pauses in which nothing changes for more than a second. */
export async function writeChanges(context: WriterContext, connection: Connection): Promise<void> {
  const random = new Random(`${context.seed} changes`)
  let kind = random.weighted(KINDS)
  while (!context.isEnding()) {
    if (!random.chance(0.25)) kind = random.weighted(KINDS)
    await context.commits.run(async () => {
      const write = planWrite(context, random, kind)
      if (write) await transact(context, random, connection, { ...write, begin: true })
    })
    await sleep(pauseMs(random))
  }
}

/** Now and then changes the rights of keys several times in a row. */
export async function writeRights(context: WriterContext, connection: Connection): Promise<void> {
  const random = new Random(`${context.seed} rights`)
  while (!context.isEnding()) {
    await sleep(random.mostlyLow(200, 4_000))
    await context.commits.run(async () => {
      for (let left = random.pick([1, 2, 4, 6]); left > 0; left -= 1) {
        const write = planWrite(context, random, 'changeRights')
        if (write) await transact(context, random, connection, { ...write, begin: true })
        await sleep(random.below(40))
      }
    })
  }
}

function pauseMs(random: Random): number {
  const pause = random.weighted({ none: 10, short: 9, long: 1 })
  return { none: random.below(30), short: random.mostlyLow(50, 800), long: 1_300 + random.below(1_500) }[pause]
}

const LOCKS = {
  ...{ 'LOCK TABLE items IN ACCESS EXCLUSIVE MODE': 5, 'LOCK TABLE images IN ACCESS EXCLUSIVE MODE': 1 },
  ...{ 'LOCK TABLE datasets IN ACCESS EXCLUSIVE MODE': 2, 'LOCK TABLE item_counts IN ACCESS EXCLUSIVE MODE': 1 },
} as const

/** Now and then holds a lock for up to four seconds, then makes a change and commits. */
export async function writeWithLocks(context: WriterContext, connection: Connection): Promise<void> {
  const { seed, commits, tables, hasOneSession, isEnding } = context
  const random = new Random(`${seed} locks`)
  // Other writers commit while this one holds its lock, if the database has a session for each.
  const [outer, inner] = hasOneSession ? [commits, new Mutex()] : [tables, commits]
  while (!isEnding()) {
    await sleep(1_000 + random.below(5_000))
    await outer.run(async () => {
      const lock = random.weighted(LOCKS)
      await connection.execute('BEGIN')
      await connection.execute(lock)
      await sleep(random.mostlyLow(200, 4_000))
      await inner.run(async () => {
        const kind = random.weighted({ changeItems: 4, updateDatasets: 2, exchangeRecords: 1, changeBoth: 1 })
        const write = planWrite(context, random, kind)
        if (!write) await connection.execute('ROLLBACK')
        else await transact(context, random, connection, { ...write, label: `${lock}; ${write.label}`, begin: false })
      })
    })
  }
}

interface Write {
  label: string
  next: State
  statements: Statement[]
}

function planWrite(
  { history, world, counts }: WriterContext,
  random: Random,
  kind: keyof typeof KINDS,
): Write | undefined {
  counts.mark += 1
  const mark = `g${counts.mark}`
  const before = history.current
  const change: Change = kind === 'refill' ? CHANGES.changeItems : kind === 'recount' ? CHANGES.nothing : CHANGES[kind]
  const next = change(random, world, before, mark)
  if (!next) return undefined
  const label = `${kind} ${mark}`
  if (kind === 'refill') return { label, next, statements: refillStatements(before, next) }
  if (kind === 'recount') return { label, next, statements: [{ text: 'SELECT recount_items()', values: [] }] }
  return { label, next, statements: statementsBetween(before, next) }
}

/** Runs the statements in one transaction, some with pauses between them, and notes the new state in the history. */
async function transact(
  { history, counts, report }: WriterContext,
  random: Random,
  connection: Connection,
  { label, next, statements, begin }: Write & { begin: boolean },
): Promise<void> {
  const pauseMs = random.chance(0.2) ? random.mostlyLow(0, 150) : 0
  let moment: ReturnType<History['begin']> | undefined
  try {
    if (begin) await connection.execute(`BEGIN; SET LOCAL lock_timeout = '250ms'`)
    for (const statement of statements) {
      await connection.run(statement)
      if (pauseMs > 0) await sleep(pauseMs)
    }
    moment = history.begin(next, label)
    await connection.execute('COMMIT')
    moment.end = performance.now()
    counts.writes += 1
  } catch (error) {
    if (moment) history.withdraw(moment)
    await connection.execute('ROLLBACK')
    if (codeOf(error) === LOCK_NOT_AVAILABLE) counts.lockTimeouts += 1
    else if (codeOf(error) === DEADLOCK) report('deadlock detected', `SQL of ${label}`)
    else throw error
  }
}
