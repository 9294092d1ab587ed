import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHECKOUT, copyCheckout, removeCopy } from './copy.ts'
import { type Mutant, mutate } from './mutant.ts'
import { TABLES } from './mutants.ts'
import { type Outcome, runTests } from './run-tests.ts'

/*
 * Puts one bug at a time into a copy of the checkout, and runs the tests that should catch it (CONTRIBUTING.md). On a PostgreSQL
 * server (TEST_DATABASE_URL) this is faster, most of all for the bugs in migrations.
 */

interface Row extends Mutant {
  file: string
  tests: readonly string[]
}

const text = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({ options: { only: text(''), find: text(''), jobs: text('2') } })
const hasServer = Boolean(process.env.TEST_DATABASE_URL)
const rows = TABLES.flatMap(({ file, tests, mutants }) =>
  mutants.map((mutant): Row => ({ file, tests, ...mutant })),
).filter(
  ({ file, find, needsServer = false }) =>
    file.startsWith(values.only) && find.includes(values.find) && (hasServer || !needsServer),
)
if (rows.length === 0) throw new Error('There is no such mutant')

const startedAtMs = performance.now()
const copies = Array.from({ length: Number(values.jobs) }, copyCheckout)
process.once('exit', () => copies.forEach(removeCopy))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const tests = [...new Set(rows.flatMap((row) => row.tests))]
print(`${rows.length} mutants; first the ${tests.length} test files without any`)
const unmutated = await runTests(copies[0] ?? '', tests, copies.length)
if (unmutated.kind !== 'passed') throw new Error(`Without a mutant, the tests fail: ${unmutated.by}`)

const queue = rows.values()
const unexpected: string[] = []
const totals = { caught: 0, hung: 0, survived: 0, equivalent: 0, broken: 0 }
await Promise.all(copies.map(work))
const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1)
print(
  `\n${Object.entries(totals)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')} of ${rows.length}, in ${minutes} minutes`,
)
if (unexpected.length > 0) print(`\n${unexpected.join('\n')}`)
process.exitCode = unexpected.length > 0 ? 1 : 0

/** Tests mutants in a copy until none is left. */
async function work(copy: string): Promise<void> {
  for (const row of queue) {
    const sentAtMs = performance.now()
    const outcome = await test(copy, row)
    const verdict = verdictOn(row, outcome)
    totals[verdict] += 1
    const seconds = ((performance.now() - sentAtMs) / 1000).toFixed(1)
    const what = `${verdict.padEnd(10)} ${row.file}: ${short(row.find)} -> ${short(row.replace)}`
    const by = outcome.kind === 'passed' ? (row.equivalent ?? '') : outcome.by
    print(`${what} (${seconds} s) ${by}`)
    if (verdict !== 'caught' && (verdict !== 'equivalent' || outcome.kind !== 'passed')) unexpected.push(what)
  }
}

async function test(copy: string, row: Row): Promise<Outcome> {
  const source = readFileSync(join(CHECKOUT, row.file), 'utf8')
  const path = join(copy, row.file)
  writeFileSync(path, mutate(source, row))
  try {
    return await runTests(copy, row.tests)
  } finally {
    writeFileSync(path, source)
  }
}

/** A mutant that makes tests hang is caught, but weakly, so it is listed. */
function verdictOn({ equivalent }: Row, { kind }: Outcome): keyof typeof totals {
  if (kind === 'passed') return equivalent === undefined ? 'survived' : 'equivalent'
  return kind === 'failed' ? 'caught' : kind
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 70)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
