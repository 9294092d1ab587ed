import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { CHECKOUT } from '../support/process.ts'

/*
 * The shell of a person, and the pages that the person reads.
 */

/** The environment of the person: not that of a test, and with a port that is free. */
export function shellEnv(port: number, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, TEST_DATABASE_URL: __, ...env } = process.env
  return { ...env, PORT: String(port), ...more }
}

/** Runs lines of shell in a folder, and returns what they print. Throws an error with that if one of them fails. */
export async function sh(cwd: string, env: NodeJS.ProcessEnv, lines: string): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', lines], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${lines} ended with ${code}:\n${printed}`)
  return printed
}

/** Starts a command that goes on running. Returns what it has printed when that has a text, and how to end it. */
export async function start(cwd: string, env: NodeJS.ProcessEnv, line: string, until: RegExp) {
  const child = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stop = async () => {
    const ended = once(child, 'close')
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text
        if (until.test(printed)) resolve()
      })
    child.once('close', (code) => reject(new Error(`${line} ended with ${code}:\n${printed}`)))
  })
  return { printed, stop }
}

/** The text of a page of the checkout. */
export const page = (path: string) => readFileSync(`${CHECKOUT}${path}`, 'utf8')

/** What a pattern finds in a page. Throws an error if it finds nothing, as when the page has changed. */
export function find(text: string, pattern: RegExp): string {
  const [all, part = all] = pattern.exec(text) ?? []
  if (part === undefined) throw new Error(`The page has no ${pattern}`)
  return part
}

/** The fenced blocks of a language in a page. */
export function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)
}

/** The commands of a block, each with the lines of its own. */
export function commandsOf(block: string): string[] {
  const commands = block.match(/^[^\n]*<<'END'\n.*?^END$|^(?:[^\n]*\\\n)*[^\n]+$/gms) ?? []
  return commands.filter((command) => !command.startsWith('#'))
}
