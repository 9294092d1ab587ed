import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** Runs the `catalog` command as a process of its own that has no environment but `env`. */
export function runCatalog(env: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  return runProcess(process.execPath, [CLI, ...args], env)
}

/** Runs a program to its end. `readsOutput: false` closes its stdout at once, as `| head` may. */
export function runProcess(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  { readsOutput = true } = {},
): Promise<CommandResult> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const result: CommandResult = { code: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text))
  if (!readsOutput) child.stdout.destroy()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...result, code }))
  })
}
