import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string>>

/** The end of a command. */
export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** A gateway that runs as a process. */
export interface Gateway {
  url: string
  name: string
  stop: () => Promise<void>
}

const running = new Set<ChildProcess>()

/** Kills what still runs. It ends at once. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL')
}

function start(folder: string, args: string[], env: Env, timeout?: number): ChildProcess {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const node = join(folder, 'node_modules/.bin/node')
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', join(folder, 'src/cli.ts'), ...args], {
    cwd: folder,
    env: { PATH: `${join(folder, 'node_modules/.bin')}:${PATH}`, HOME, NODE_COMPILE_CACHE, ...env },
    // Ctrl-C reaches only the simulation, which then stops the gateways.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(timeout !== undefined && { timeout, killSignal: 'SIGKILL' as const }),
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(-100_000)
  })
  return output
}

const COMMAND_TIMEOUT_MS = 120_000

/** Runs a `catalog` command of a checkout until it ends. After two minutes it is killed, and its code is null. */
export async function runCatalog(folder: string, env: Env, ...args: string[]): Promise<Finished> {
  const child = start(folder, args, env, COMMAND_TIMEOUT_MS)
  const output = collect(child)
  const [code] = await once(child, 'close')
  return { ...output, code: typeof code === 'number' ? code : null }
}

const START_TIMEOUT_MS = 60_000

/** Starts the gateway of a checkout on a free port of the loopback address, and waits until it serves. */
export async function startGateway(folder: string, name: string, env: Env): Promise<Gateway> {
  const child = start(folder, ['serve'], {
    ...{ PORT: '0', HOST: '127.0.0.1', SAMPLE_DATA: 'false', MAX_REFUSALS_PER_MINUTE: '1000000', MAX_EXPORTS: '100' },
    ...env,
  })
  const output = collect(child)
  const deadline = performance.now() + START_TIMEOUT_MS
  let url: string | undefined
  while (!url) {
    if (child.exitCode !== null) throw new Error(`The gateway ended: ${output.stderr}`)
    if (performance.now() > deadline) throw new Error(`The gateway does not start: ${output.stdout}${output.stderr}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    url = /Dataset Catalog at (\S+)/.exec(output.stdout)?.[1]
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  return { url, name, stop }
}
