import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { collectedFile } from './collected-file.ts'

/** A server under test, in another process. */
export interface Server {
  url: string
  pid: number
  stop: () => Promise<void>
}

/** Starts the gateway of a checkout (by default this one) as `npm start` does, on a free port, by default with one process. */
export function startGateway(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Server> {
  const settings = { DATABASE_URL: databaseUrl, PORT: '0', SAMPLE_DATA: 'false', WORKERS: '1', ...env }
  return start('./src/cli.ts', ['serve'], settings, folder)
}

/** Starts the gateway on an embedded database, on a free port. */
export function startEmbedded(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  return start('./src/cli.ts', ['serve'], { DATABASE_URL: undefined, DATA_DIR: dataDir, PORT: '0', ...env })
}

/** Starts the gateway without cached responses, on a free port. */
export function startUncached(databaseUrl: string): Promise<Server> {
  return startGateway(databaseUrl, { RESPONSE_CACHE_MB: '0' })
}

/** Starts a server with which the gateway is compared, on a free port. */
export function startPeer(name: 'postgraphile' | 'mercurius' | 'floor', databaseUrl: string): Promise<Server> {
  return start(process.execPath, [`test/bench/peers/${name}.js`, databaseUrl, '0'], { NODE_ENV: 'production' })
}

/** Starts the server in Go of peers/floor.go, on a free port. Undefined if Go is not installed. */
export async function startGo(databaseUrl: string): Promise<Server | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-go-'))
  const program = join(folder, 'floor')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' }
  const source = new URL('peers/floor.go', import.meta.url).pathname
  try {
    await promisify(execFile)('go', ['build', '-o', program, source], { env })
    return await start(program, [databaseUrl, '0'], {})
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The processor time that a process and its children have used, in milliseconds. */
export function cpuMs(pid: number): Promise<number> {
  return sumOverProcesses(pid, async (each) => {
    const threads = await readdir(`/proc/${each}/task`)
    // Nanoseconds on a processor come first.
    const times = await Promise.all(threads.map((thread) => readFile(`/proc/${each}/task/${thread}/schedstat`, 'utf8')))
    return times.reduce((sum, time) => sum + Number(time.split(' ')[0]) / 1e6, 0)
  })
}

/**
 * Collects the garbage of a process and its children, which run with `COLLECTS_GARBAGE`. V8 collects under pressure only, so without
 * it the memory depends on the other work of the machine.
 * @returns the memory in use afterwards: heaps and buffers, in bytes
 */
export async function collectGarbage(pid: number): Promise<number> {
  const used = await sumOverProcesses(pid, async (each) => {
    const file = collectedFile(each)
    process.kill(each, 'SIGUSR2')
    while (!existsSync(file)) await sleep(50)
    const { heapUsed, external } = memoryUsage.parse(JSON.parse(await readFile(file, 'utf8')))
    await rm(file)
    return heapUsed + external
  })
  // V8 returns the memory to the system in another thread.
  await sleep(1_000)
  return used
}

const memoryUsage = z.object({ heapUsed: z.number(), external: z.number() })

/** The environment of processes that collect their garbage on SIGUSR2. */
export const COLLECTS_GARBAGE = {
  NODE_OPTIONS: `--expose-gc --import=${new URL('collect-garbage.ts', import.meta.url).href}`,
}

/** The resident memory of a process and its children, in megabytes. Pages that they share count several times. */
export function residentMegabytes(pid: number): Promise<number> {
  return sumOverProcesses(pid, async (each) => {
    const status = await readFile(`/proc/${each}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  })
}

async function sumOverProcesses(pid: number, read: (pid: number) => Promise<number>): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = [pid, ...children.trim().split(' ').filter(Boolean).map(Number)]
  const values = await Promise.all(pids.map(read))
  return values.reduce((sum, value) => sum + value, 0)
}

/** A busy machine makes a benchmark slow, but does not end it. */
const TIMEOUTS = { CONNECT_TIMEOUT_MS: '60000', STATEMENT_TIMEOUT_MS: '60000' }

/** The environment of a gateway or a command. It runs on the Node of this process. */
export function gatewayEnv(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  return { ...process.env, ...TIMEOUTS, PATH, ...env }
}

async function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string | URL = new URL('../..', import.meta.url),
): Promise<Server> {
  const child = spawn(program, args, {
    cwd: folder,
    env: gatewayEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  // A benchmark that fails ends without `stop`.
  process.once('exit', () => child.kill('SIGTERM'))
  const url = await firstUrl(child)
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The URL that each server prints when it listens. */
async function firstUrl({ stdout, spawnargs }: ChildProcess): Promise<string> {
  if (!stdout) throw new TypeError('The process was started without a pipe')
  for await (const line of createInterface({ input: stdout })) {
    const [url] = /http:\/\/[\d.:]+/.exec(line) ?? []
    if (url) {
      stdout.resume()
      return url
    }
  }
  throw new Error(`${spawnargs.join(' ')} ended without listening`)
}
