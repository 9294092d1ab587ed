import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
/** One of the options in the first line of src/cli.ts. It keeps warnings of Node out of the asserted output. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string>

/** An environment with only the given settings, and the cache of compiled modules (vitest.config.ts). */
export function environment(env: Env): Env {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH: `${CHECKOUT}node_modules/.bin:${PATH}`, HOME, NODE_COMPILE_CACHE, ...env }
}

const started = new Set<ChildProcess>()

/** Like `spawn`. A process that still runs at the end of the test file is killed (setup.ts), even if a test fails or times out. */
export function startProcess(program: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options)
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

/** Kills the processes that still run. */
export function killProcesses(): void {
  for (const child of started) child.kill('SIGKILL')
}
process.once('exit', killProcesses)

/** An import that takes more than ten seconds prints these lines, so on a slow machine only. */
export const PROGRESS =
  /^(?:\d+ %, \d+ rows, .*|(?:all rows are read; checking|comparing|merging|counting|updating) .*(?: \.\.\.| s left))\n/gm

/** Runs the `catalog` command in a new process and waits until it ends. `stderr` is without the progress of an import. */
export function runCatalog(env: Env, ...args: string[]): Promise<Finished> {
  return runCatalogWith({}, env, ...args)
}

/** Does the same with the options of `runProcess`. */
export async function runCatalogWith(options: RunOptions, env: Env, ...args: string[]): Promise<Finished> {
  const finished = await runProcess(process.execPath, [...NODE_OPTIONS, CLI, ...args], environment(env), options)
  return { ...finished, stderr: finished.stderr.replace(PROGRESS, '') }
}

interface RunOptions {
  /** False closes stdout at once, as `| head` may. */
  readsOutput?: boolean
  /** After this time the process is killed, and its code is null. */
  timeoutMs?: number
}

/** The names of all commands, such as `keys show`, by their help. A group is not one of them. */
export async function listCommands(): Promise<string[]> {
  const commandsOf = async (...group: string[]) => {
    const { stdout } = await runCatalog({}, ...group, '--help')
    const names = (/Commands:\n(.*?)\n\n/s.exec(stdout)?.[1]?.match(/^ {2}[\w-]+/gm) ?? []).map((name) => name.trim())
    return names.filter((name) => name !== 'help').map((name) => [...group, name].join(' '))
  }
  const groups = await commandsOf()
  const members = await Promise.all(groups.map((group) => commandsOf(group)))
  return [...groups.filter((_, n) => members[n]?.length === 0), ...members.flat()]
}

const CURL = `command -v curl >/dev/null || curl() { node '${CHECKOUT}test/support/curl.ts' "$@"; }`

/** Runs a shell script in the checkout and waits until it ends. It stops at the first command that fails. */
export function runShell(env: Env, script: string): Promise<Finished> {
  return runProcess('bash', ['-euo', 'pipefail', '-c', `${CURL}\n${script}`], environment(env))
}

/** Runs a program in the checkout and waits until it ends. */
export async function runProcess(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  { readsOutput = true, timeoutMs }: RunOptions = {},
): Promise<Finished> {
  const limit = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  const child = startProcess(program, args, { env, cwd: CHECKOUT, stdio: ['ignore', 'pipe', 'pipe'], ...limit })
  const finished: Finished = { code: null, stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    finished.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    finished.stderr += text
  })
  if (!readsOutput) child.stdout?.destroy()
  const [code] = await once(child, 'close')
  return { ...finished, code }
}

export interface Gateway {
  url: string
  /** The output until the gateway was ready. */
  printed: string
  child: ChildProcess
  /** Sends SIGTERM, waits until the process ends, and returns the exit code. */
  stop: () => Promise<number | null>
}

/** Starts the gateway in a new process on a free port, by default without workers, and waits until it is ready. */
export async function startGateway(env: Env): Promise<Gateway> {
  const child = startProcess(process.execPath, [...NODE_OPTIONS, CLI, 'serve'], {
    env: environment({ PORT: '0', WORKERS: '1', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let failed = ''
  child.stderr?.on('data', (data) => {
    failed += data
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (data) => {
      printed += data
      // The start-up banner is complete with its last line: the sample key, or the command that creates a key.
      if (/shown this once: .*\n|keys create .*\n/.test(printed)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${failed}`)))
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await exited
    return code
  }
  return { url: /Dataset Catalog at (\S+)/.exec(printed)?.[1] ?? '', printed, child, stop }
}
