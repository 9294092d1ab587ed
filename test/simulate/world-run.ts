import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeWithCommands } from './commands.ts'
import type { Connection } from './connection.ts'
import { differences } from './content.ts'
import type { FaultLog } from './faults.ts'
import { History } from './history.ts'
import { type Exchange, type Fault, Judge } from './judge.ts'
import { at, textOf } from './question.ts'
import { createPool, readAnswers } from './readers.ts'
import { initialStatements } from './sql.ts'
import type { Gateway, Stage } from './stage.ts'
import { newWriterContext } from './transaction.ts'
import { createWorld } from './world.ts'
import { writeChanges, writeHidden, writeRights, writeWithLocks } from './writers.ts'

/** A simulation of the world that readers see. */
interface WorldRun extends Stage {
  seed: number
  faults: FaultLog
  isEnding: () => boolean
}

const READERS = 8

/** Changes the world and asks about it until the end. Returns a line about what was done. */
export async function simulateWorld(run: WorldRun): Promise<string> {
  const { seed, env, gateways, connect, connectReplica, proxies, hasOneSession, faults, isEnding } = run
  const world = createWorld(seed)
  const history = new History(world.initial)
  const judge = new Judge(history)
  const counts = { requests: 0, unchanged: 0 }
  const writers = newWriterContext({
    seed,
    world,
    history,
    hasOneSession,
    isEnding,
    report: (kind, detail) => faults.add(kind, [detail]),
  })
  const report = (gateway: Gateway, exchange: Exchange, fault: Fault) =>
    faults.add(fault.kind, describe(gateway, exchange, fault))
  const readers = { seed, world, gateways, judge, counts, report, isEnding }
  const connections = [await connect(), await connect(), await connect(), await connect()] as const
  const hashes = world.tokens.map((token) => createHash('sha256').update(token).digest())
  await connections[0].execute('BEGIN')
  for (const statement of initialStatements(world.initial, hashes)) await connections[0].run(statement)
  await connections[0].execute('COMMIT')
  for (const proxy of proxies) proxy.setActive(true)
  const pool = createPool(seed, world)
  await Promise.all([
    writeChanges(writers, connections[0]),
    writeRights(writers, connections[1]),
    writeWithLocks(writers, connections[2]),
    writeHidden(writers, connections[3]),
    writeWithCommands(writers, env),
    ...Array.from({ length: READERS }, (_, n) => readAnswers(readers, pool, String(n))),
  ])
  const different = await differences(connections[0], history.current)
  if (different.length > 0) faults.add('another content', different)
  const replayed = connectReplica && (await compareReplica(connections[0], connectReplica, history))
  if (replayed && replayed.length > 0) faults.add('another content of the replica', replayed)
  for (const connection of connections) await connection.close()
  const { writes, lockTimeouts } = writers.counts
  return [
    `${counts.requests} requests (${counts.unchanged} answered 304)`,
    `${writes} writes (${lockTimeouts} more gave up waiting for a lock)`,
    `${judge.counts.candidates} candidate states`,
    `${judge.counts.unavailable} answers 503`,
    `${judge.counts.refused} documents that cost too much`,
  ].join(', ')
}

/** The differences between the model and the replica, once it has replayed all that was written. */
async function compareReplica(
  primary: Connection,
  connectReplica: () => Promise<Connection>,
  history: History,
): Promise<string[]> {
  const [row] = await primary.execute('SELECT pg_current_wal_lsn()::text AS lsn')
  const replica = await connectReplica()
  const hasAll = { text: 'SELECT 1 WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn', values: [at(row, 'lsn')] }
  while ((await replica.run(hasAll)).length === 0) await sleep(100)
  const different = await differences(replica, history.current)
  await replica.close()
  return different
}

const MAX_LENGTH = 1_500

function describe({ name }: Gateway, exchange: Exchange, { detail, expected }: Fault): string[] {
  const { question, key, start, end, observed } = exchange
  const { method, path, body = '' } = question
  return [
    detail,
    `${name}, key ${key}, ${Math.round(start)} to ${Math.round(end)} ms: ${method} ${path} ${body}`,
    `answer: ${textOf(observed)}`,
    ...expected.map((text) => `expected ${text}`),
  ].map((line) => line.slice(0, MAX_LENGTH).replaceAll('\n', '\n    '))
}
