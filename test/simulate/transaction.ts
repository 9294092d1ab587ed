import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from './change.ts'
import { CHANGES } from './changes.ts'
import { type Connection, codeOf, DEADLOCK, LOCK_NOT_AVAILABLE } from './connection.ts'
import type { History } from './history.ts'
import { Mutex } from './mutex.ts'
import type { Random } from './random.ts'
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
export const KINDS = {
  ...{ updateDatasets: 10, changeVisibility: 5, exchangeSlugs: 2, removeDataset: 1, createDataset: 4, changeItems: 12 },
  ...{
    exchangeRecords: 12,
    changeImages: 3,
    changeRights: 4,
    dealGrants: 6,
    changeRevocation: 2,
    changeBoth: 4,
    refill: 3,
    recount: 3,
  },
} as const

/** A transaction, and the state after it. */
export interface Write {
  label: string
  next: State
  statements: Statement[]
}

/** Chooses a transaction of a kind; undefined if the current state does not allow it. */
export function planWrite(
  { history, world, counts }: WriterContext,
  random: Random,
  kind: keyof typeof KINDS | 'hideDataset',
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

/** Runs the statements in one transaction, some with pauses between them, and notes the new state in the history. Returns whether it committed. */
export async function transact(
  { history, counts, report }: WriterContext,
  random: Random,
  connection: Connection,
  { label, next, statements, begin }: Write & { begin: boolean },
): Promise<boolean> {
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
    return true
  } catch (error) {
    if (moment) history.withdraw(moment)
    await connection.execute('ROLLBACK')
    if (codeOf(error) === LOCK_NOT_AVAILABLE) counts.lockTimeouts += 1
    else if (codeOf(error) === DEADLOCK) report('deadlock detected', `SQL of ${label}`)
    else throw error
    return false
  }
}
