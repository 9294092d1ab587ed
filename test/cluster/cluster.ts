import { parseArgs } from 'node:util'
import { runCatalog } from '../support/process.ts'
import { CASES } from './cases.ts'
import { createDataset, Model } from './model.ts'
import { Operator } from './operator.ts'
import { type Result, runCase } from './run-case.ts'
import { openStage } from './stage.ts'

/*
 * Two gateways over three PostgreSQL servers under Patroni, behind HAProxy, while servers and links fail (CONTRIBUTING.md). It prints a
 * row for each case, and ends with 1 if a response was wrong. Times are only printed.
 */

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '.' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    ttl: { type: 'string', default: '20' },
    'loop-wait': { type: 'string', default: '5' },
    synchronous: { type: 'boolean', default: false },
  },
})
const loopWait = Number(values['loop-wait'])
const chosen = Object.entries(CASES).filter(([name]) => new RegExp(values.cases).test(name))
const print = (line: string) => void process.stdout.write(`${line}\n`)

const COLUMNS: Readonly<Record<string, Exclude<keyof Result, 'faults'>>> = {
  right: 'right',
  'older than 1 s': 'old',
  'of a lost state': 'lost',
  'other states': 'otherStates',
  'other statuses': 'otherStatuses',
  'refused (503)': 'refused',
  'cut off': 'cutOff',
  writes: 'writes',
  'lost writes': 'lostWrites',
  commands: 'commands',
  'failed commands': 'failed',
  'leaderless, s': 'leaderless',
  'refusing, s': 'refusing',
  'added by the gateway, s': 'added',
  'slowest response, s': 'slowest',
}

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
const { seed, ttl, synchronous } = values
print(`seed ${seed}, ttl ${ttl}, loop_wait ${loopWait}, synchronous ${synchronous}`)
const patroni = { ttl: Number(ttl), loop_wait: loopWait, retry_timeout: loopWait, synchronous_mode: synchronous }
const stage = await openStage(patroni)
let faults = 0
try {
  const created = await runCatalog(stage.env, 'keys', 'create', '--json', '--name', 'reader', '--rate-limit', '1000000')
  const { key } = JSON.parse(created.stdout)
  const model = new Model()
  const operator = new Operator(stage)
  await createDataset(stage.leaderUrl, model)
  print(`| case | ${Object.keys(COLUMNS).join(' | ')} |\n|---|${'---|'.repeat(Object.keys(COLUMNS).length)}`)
  for (const [name, happen] of chosen) {
    const result = await runCase(happen, { stage, model, operator, key, seed: `${seed} ${name}` })
    print(`| ${[name, ...Object.values(COLUMNS).map((column) => result[column])].join(' | ')} |`)
    // In Patroni 3.0.2 a leader that was frozen takes its place back (https://github.com/patroni/patroni/pull/2689).
    const mayLose = !synchronous || /^frozen leader|^back in time/.test(name)
    if (!mayLose && result.lostWrites > 0) result.faults.push(`${result.lostWrites} acknowledged writes are lost`)
    for (const fault of result.faults.slice(0, 12)) print(`FAULT ${name}: ${fault}`)
    faults += result.faults.length
  }
} finally {
  await stage.close()
}
print(`${chosen.length} cases, ${faults} faults`)
process.exitCode = faults > 0 || chosen.length === 0 ? 1 : 0
