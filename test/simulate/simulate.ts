import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { CHECKOUT } from '../support/process.ts'
import { FaultLog, print } from './faults.ts'
import { openEmbedded, openPostgres, runCommand } from './stage.ts'
import { simulateWorld } from './world-run.ts'

/*
 * Runs gateways under random changes and requests, and compares each answer with a model (CONTRIBUTING.md).
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '1' },
    database: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    replica: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
})
const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
if (!Number.isInteger(seed) || !(minutes > 0)) throw new TypeError('--seed and --minutes must be numbers')
if (values.replica && (values.database || values.embedded)) throw new TypeError('--replica starts its own servers')
const keepsGoing = values['keep-going']

let isEnding = false
const end = () => {
  isEnding = true
}
process.once('SIGINT', end)
process.once('SIGTERM', end)

const commit = execFileSync('git', ['-C', CHECKOUT, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
print(`seed ${seed}, commit ${commit}, ${minutes} minutes, ${values.embedded ? 'embedded' : 'PostgreSQL'}`)
const faults = new FaultLog({ source: `seed ${seed}, ${commit}`, keepsGoing, end })
/** What has been opened, in order. It is closed in the opposite order. */
const opened: (() => Promise<unknown>)[] = []
try {
  const stage = await (values.embedded ? openEmbedded : openPostgres)({ ...values, seed, opened })
  setTimeout(end, minutes * 60_000).unref()
  const line = await simulateWorld({ ...stage, seed, faults, isEnding: () => isEnding })
  const { code, stdout, stderr } = await runCommand(stage.env, 'doctor')
  if (code !== 0) faults.add('sick database', [stdout + stderr])
  print(line)
  print(`faults: ${faults.summary}`)
} finally {
  for (const close of opened.reverse()) await close()
}
process.exitCode = faults.count > 0 ? 1 : 0
