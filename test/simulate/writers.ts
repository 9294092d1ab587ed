import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { Mutex } from './mutex.ts'
import { Random } from './random.ts'
import { statementsBetween } from './sql.ts'
import { KINDS, planWrite, transact, type WriterContext } from './transaction.ts'

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

/** Now and then changes the rights of keys several times in a row, or gives a grant for a while. */
export async function writeRights(context: WriterContext, connection: Connection): Promise<void> {
  const random = new Random(`${context.seed} rights`)
  while (!context.isEnding()) {
    await sleep(random.mostlyLow(200, 4_000))
    await context.commits.run(async () => {
      if (random.chance(0.15)) return grantForAWhile(context, random, connection)
      for (let left = random.pick([1, 2, 4, 6]); left > 0; left -= 1) {
        const write = planWrite(context, random, left === 1 ? 'dealGrants' : 'changeRights')
        if (write) await transact(context, random, connection, { ...write, begin: true })
        await sleep(random.below(40))
      }
    })
  }
}

/** A grant that expires is a state that no transaction makes. Nothing else changes until then. */
async function grantForAWhile(context: WriterContext, random: Random, connection: Connection): Promise<void> {
  const { history, counts } = context
  const before = history.current
  const key = random.pick(before.keys)
  const dataset = before.catalog.datasets.find(({ id }) => !key.grants.includes(id))
  if (!dataset) return
  const expiresAt = Date.now() + 600 + random.below(900)
  const keys = before.keys.map((each) => (each === key ? { ...key, grants: [...key.grants, dataset.id] } : each))
  const text = 'INSERT INTO grants (api_key_id, dataset_id, created_at, expires_at) VALUES ($1, $2, now(), $3)'
  const statements = [{ text, values: [key.id, dataset.id, new Date(expiresAt)] }]
  counts.mark += 1
  const write = { label: `grant for a while g${counts.mark}`, next: { ...before, keys }, statements, begin: true }
  if (!(await transact(context, random, connection, write))) return
  history.expect(before, `expiry of the grant g${counts.mark}`, performance.now() + expiresAt - Date.now())
  await sleep(expiresAt - Date.now() + 50)
  await connection.run({
    text: 'DELETE FROM grants WHERE api_key_id = $1 AND dataset_id = $2',
    values: [key.id, dataset.id],
  })
}

/**
 * Again and again withdraws the grants of a dataset and changes its texts in one transaction, and undoes both in the next. The change
 * before it makes gateways read their lists and keys anew between the two.
 */
export async function writeHidden(context: WriterContext, connection: Connection): Promise<void> {
  const { seed, commits, tables, history, isEnding } = context
  const random = new Random(`${seed} hidden`)
  const write = async (kind: 'updateDatasets' | 'changeRights' | 'hideDataset') => {
    const write = planWrite(context, random, kind)
    return write !== undefined && (await transact(context, random, connection, { ...write, begin: true }))
  }
  const hideForAWhile = async () => {
    if (random.chance(0.7)) await write(random.pick(['updateDatasets', 'changeRights']))
    const before = history.current
    if (!(await write('hideDataset'))) return
    const shown = { label: `shown again after ${history.last.label}`, next: before, begin: true }
    const statements = statementsBetween(history.current, before)
    // Whoever commits later may grant the dataset again, so this must commit first.
    do await sleep(random.mostlyLow(0, 400))
    while (!(await transact(context, random, connection, { ...shown, statements })))
  }
  while (!isEnding()) {
    await sleep(random.mostlyLow(50, 1_500))
    await tables.run(() => commits.run(hideForAWhile))
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
