import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from './random.ts'
import { type ContentionContext, Trial } from './trial.ts'

/*
 * Writers at the same time, on a database of their own: an import beside a removal or beside other transactions, and items that
 * move between two datasets in both directions. Afterwards the content must be what the writers leave one after the other in some
 * order, and no writer may fail because of a deadlock: each locks rows in the order of their ids.
 */

/** Runs one trial after the other until the end. Returns their number. */
export async function contend(context: ContentionContext): Promise<number> {
  const random = new Random(`${context.seed} contention`)
  const connections = [await context.connect(), await context.connect()] as const
  // `catalog doctor` misses a key otherwise.
  await connections[0].execute(
    `INSERT INTO api_keys (id, name, hash, created_at) VALUES (gen_random_uuid(), 'unused', sha256('unused'), now())`,
  )
  const folder = await mkdtemp(join(tmpdir(), 'catalog-simulation-'))
  let trials = 0
  for (; !context.isEnding(); trials += 1) {
    const trial = new Trial(context, random, connections, folder, trials)
    const kind = random.weighted({ importBesideRemoval: 3, importBesideChanges: 3, moves: 2 })
    // Readers of the other database need the processor too.
    await sleep(random.below(8_000))
    await trial.fill()
    await trial[kind]()
  }
  for (const connection of connections) await connection.close()
  await rm(folder, { recursive: true, force: true })
  return trials
}
