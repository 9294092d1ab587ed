import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string>

/** The environment of a process: no configuration but what is given. */
function environment(env: Env): Env {
  const { PATH = '', HOME = '' } = process.env
  return { PATH: `${CHECKOUT}node_modules/.bin:${PATH}`, HOME, ...env }
}

/** Runs `catalog` in a process of its own, to its end. */
export async function catalog(args: string[], env: Env): Promise<Finished> {
  return finish(
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...args], {
      env: environment(env),
      cwd: CHECKOUT,
    }),
  )
}

/** Runs a shell script in the checkout, to its end; the first command that fails ends it. */
export async function shell(script: string, env: Env): Promise<Finished> {
  return finish(spawn('bash', ['-euo', 'pipefail', '-c', script], { env: environment(env), cwd: CHECKOUT }))
}

async function finish(child: ChildProcess): Promise<Finished> {
  const finished: Finished = { code: null, stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => {
    finished.stdout += data
  })
  child.stderr?.on('data', (data) => {
    finished.stderr += data
  })
  const [code] = await once(child, 'close')
  finished.code = code
  return finished
}

export interface Gateway {
  url: string
  /** What it printed until it was ready. */
  printed: string
  child: ChildProcess
  /** Asks it to end and gives its exit code. */
  stop: () => Promise<number | null>
}

/** Starts the gateway in a process of its own on a free port, and waits until it serves. */
export async function startGateway(env: Env): Promise<Gateway> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, 'serve'], {
    env: environment({ PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let failed = ''
  child.stderr.on('data', (data) => {
    failed += data
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      printed += data
      // All lines are printed at once; the last is the last of the curl lines, or about keys.
      if (/\/graphql'\n|keys create .*\n/.test(printed)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${failed}`)))
  })
  const stop = async () => {
    if (child.exitCode !== null) return child.exitCode
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await exited
    return code
  }
  return { url: /Dataset Catalog at (\S+)/.exec(printed)?.[1] ?? '', printed, child, stop }
}
