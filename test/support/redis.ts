import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { freePort } from './free-port.ts'
import { startProcess } from './process.ts'

const REDIS = ['/usr/bin/redis-server', '/usr/bin/valkey-server'].find((path) => existsSync(path))

/** Whether to run the tests with Redis. In CI they always run, and fail without it. */
export const hasRedis = REDIS !== undefined || process.env.CI !== undefined
if (!hasRedis) process.stderr.write('No redis-server: the tests with Redis are skipped\n')

/** Starts a Redis or Valkey server that stores nothing on disk. */
export async function startRedis(): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort()
  const redis = startProcess(REDIS ?? 'redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {})
  await new Promise<void>((resolve, reject) => {
    redis.stdout?.on('data', (data) => /[Rr]eady to accept/.test(String(data)) && resolve())
    redis.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
  })
  return { url: `redis://127.0.0.1:${port}`, process: redis }
}
