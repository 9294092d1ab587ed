import { createInterface } from 'node:readline/promises'
import { escapeControls, operationFailed } from '../errors/errors.ts'

/** Whether a person can answer a question: stdin and stderr are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Asks a question on the terminal. Returns true for `y` and `yes`, and false for everything else. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // It has the keyboard, so Ctrl-C is no signal. To close it would answer the question first.
  terminal.once('SIGINT', () => {
    process.stdin.setRawMode(false)
    process.kill(process.pid, 'SIGINT')
  })
  try {
    // The end of the input (Ctrl-D) closes the interface without an answer.
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
    const answer = await Promise.race([terminal.question(`${escapeControls(question)} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** @throws `OPERATION_FAILED` unless a person confirms a change, for which the command has the option `--yes` */
export async function requireConfirmation(verb: 'Remove' | 'Replace', what: string): Promise<void> {
  const word = verb.toLowerCase()
  if (!canAsk()) throw operationFailed(`This ${word}s ${what}; to do so, add --yes`)
  if (!(await confirm(`${verb} ${what}?`))) throw operationFailed(`Nothing was ${word}d`)
}
