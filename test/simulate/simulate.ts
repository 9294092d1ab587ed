import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { contend } from './contention.ts'
import { FaultLog, print } from './faults.ts'
import { type Env, killProcesses, runCatalog } from './gateway.ts'
import { openEmbedded, openPostgres } from './stage.ts'
import { simulateWorld } from './world-run.ts'

/*
 * Runs gateways of a checkout under random changes and requests, and compares each answer with a model (CONTRIBUTING.md).
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '1' },
    gateway: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    database: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    'readers-only': { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
})
const [seed, minutes, folder] = [Number(values.seed), Number(values.minutes), resolve(values.gateway)]
if (!Number.isInteger(seed) || !(minutes > 0)) throw new TypeError('--seed and --minutes must be numbers')
const keepsGoing = values['keep-going']

let isEnding = false
const end = () => {
  isEnding = true
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
process.once('exit', killProcesses)

const commit = execFileSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
print(
  `seed ${seed}, gateway ${folder} at ${commit}, ${minutes} minutes, ${values.embedded ? 'embedded' : 'PostgreSQL'}`,
)
const faults = new FaultLog({ source: `seed ${seed}, ${commit}`, keepsGoing, end })
/** What has been opened, in order. It is closed in the opposite order. */
const opened: (() => Promise<unknown>)[] = []
try {
  const stage = await (values.embedded ? openEmbedded : openPostgres)({ ...values, seed, folder, opened })
  setTimeout(end, minutes * 60_000).unref()
  const run = { ...stage, seed, folder, faults, isEnding: () => isEnding }
  const [line, trials] = await Promise.all([
    simulateWorld(run),
    values['readers-only'] || !stage.contention
      ? undefined
      : contend({ ...run, ...stage.contention, report: (kind, lines) => faults.add(kind, lines) }),
  ])
  await examine(folder, [stage.env, ...(stage.contention ? [stage.contention.env] : [])], faults)
  print(`${line}, ${trials ?? 'no'} trials of writers at the same time`)
  print(`faults: ${faults.summary}`)
} finally {
  for (const close of opened.reverse()) await close()
}
process.exitCode = faults.count > 0 ? 1 : 0

/** Asks `catalog doctor` whether what the databases store beside the items is right. */
async function examine(folder: string, envs: readonly Env[], faults: FaultLog): Promise<void> {
  for (const env of envs) {
    const { code, stdout, stderr } = await runCatalog(folder, env, 'doctor')
    if (code !== 0) faults.add('sick database', [stdout + stderr])
  }
}
