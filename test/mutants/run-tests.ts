import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from './copy.ts'

/** What Vitest reports. `failed` has the first failed test, or the error of a file. `broken` means that no test has started. */
export type Outcome = { kind: 'passed' } | { kind: 'failed' | 'hung' | 'broken'; by: string }

/** The part of Vitest's JSON report that is read here. */
interface Report {
  success: boolean
  numTotalTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: (string | null)[] }[]
  }[]
}

/** Vitest is ended after this time for each file. Only a loop without an end takes as long: a test that waits fails sooner (vitest.config.ts). */
const TIME_LIMIT_MS = 180_000

const REPORT = 'mutants-report.json'

/** Runs test files in a copy of the checkout until one test fails. */
export async function runTests(copy: string, tests: readonly string[], workers = 1): Promise<Outcome> {
  rmSync(join(copy, REPORT), { force: true })
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutants/vitest.config.ts', '--root', '.']
  const options = ['--bail', '1', '--maxWorkers', String(workers), '--reporter', 'json', '--outputFile', REPORT]
  const child = spawn(process.execPath, [...args, ...options, ...tests], {
    cwd: copy,
    // Modules are compiled once for all copies.
    env: { ...process.env, ALL_CASES: 'true', NODE_COMPILE_CACHE: join(CHECKOUT, 'node_modules/.cache/node') },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const timeLimitMs = TIME_LIMIT_MS * tests.length
  const timer = setTimeout(() => killGroup(child.pid), timeLimitMs)
  // Vitest drops its databases before it ends.
  const interrupt = () => child.kill('SIGINT')
  process.once('exit', interrupt)
  await once(child, 'close')
  process.off('exit', interrupt)
  clearTimeout(timer)
  if (child.signalCode) return { kind: 'hung', by: `ended after ${timeLimitMs / 1000} s` }
  const path = join(copy, REPORT)
  if (!existsSync(path)) return { kind: 'broken', by: errors.trim() }
  return outcomeOf(JSON.parse(readFileSync(path, 'utf8')))
}

/** Vitest and its workers. */
function killGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

function outcomeOf({ success, numTotalTests, testResults }: Report): Outcome {
  if (success) return { kind: 'passed' }
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) {
    const isTimeout = failed.failureMessages.some((message) => message?.includes('Test timed out in'))
    return { kind: isTimeout ? 'hung' : 'failed', by: failed.fullName }
  }
  const by = testResults.find(({ status }) => status === 'failed')?.message ?? 'Vitest'
  return { kind: numTotalTests > 0 ? 'failed' : 'broken', by }
}
