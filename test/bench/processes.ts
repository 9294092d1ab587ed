import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server under test, in another process. */
export interface Server {
  url: string
  pid: number
  stop: () => Promise<void>
}

/** Starts the gateway as `npm start` does, on a free port, by default with one process. */
export function startGateway(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const settings = { DATABASE_URL: databaseUrl, PORT: '0', SAMPLE_DATA: 'false', WORKERS: '1', ...env }
  return start('./src/cli.ts', ['serve'], settings)
}

/** Starts the gateway on an embedded database, on a free port. */
export function startEmbedded(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  return start('./src/cli.ts', ['serve'], { DATABASE_URL: undefined, DATA_DIR: dataDir, PORT: '0', ...env })
}

/** Starts the gateway in its reference mode, on a free port. */
export function startReference(databaseUrl: string): Promise<Server> {
  return start(process.execPath, ['test/bench/reference.ts'], { DATABASE_URL: databaseUrl, PORT: '0' })
}

/** Starts a server with which the gateway is compared, on a free port. */
export function startPeer(name: 'postgraphile' | 'floor', databaseUrl: string): Promise<Server> {
  return start(process.execPath, [`test/bench/peers/${name}.js`, databaseUrl, '0'], { NODE_ENV: 'production' })
}

async function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Server> {
  const child = spawn(program, args, {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstUrl(child)
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
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
