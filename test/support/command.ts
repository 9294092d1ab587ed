import { vi } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'
import { environment, type Finished, PROGRESS } from './process.ts'

/**
 * Runs the `catalog` command in this process, with only the given settings, as `runCatalog` does in a new one. Commands run one after the
 * other. Those that end by a signal, or whose output is a terminal or is not read, need `runCatalog`.
 */
export async function runCommand(env: Record<string, string>, ...args: string[]): Promise<Finished> {
  const { argv, env: ownEnv, exitCode } = process
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  Object.assign(process, { argv: [...argv.slice(0, 2), ...args], env: environment(env), exitCode: undefined })
  try {
    await runProgram()
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text().replace(PROGRESS, '') }
  } finally {
    Object.assign(process, { argv, env: ownEnv, exitCode })
    for (const { restore } of [stdout, stderr]) restore()
  }
}

/** Keeps what is written to a stream. */
function capture(stream: NodeJS.WriteStream) {
  const written: Uint8Array[] = []
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
    written.push(Buffer.from(chunk))
    const done = rest.at(-1)
    if (typeof done === 'function') queueMicrotask(() => done())
    return true
  })
  return { text: () => Buffer.concat(written).toString(), restore: () => spy.mockRestore() }
}
