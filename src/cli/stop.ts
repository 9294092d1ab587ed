import { clearProgress, printFailure } from './print.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What runs, from the outermost to the innermost. */
const running: (() => string)[] = []

function stop(signal: NodeJS.Signals): void {
  const results = running.map((onStop) => onStop())
  clearProgress()
  // The innermost knows best what was done.
  printFailure(`stopped; ${results.at(-1)}`)
  process.kill(process.pid, signal)
}

/**
 * Runs `work`. If Ctrl-C or SIGTERM stops it, prints what `onStop` returns, and the process ends by the signal: with 130 in a shell.
 * @param onStop removes what is unfinished, and says what was done
 */
export async function stoppable<Result>(onStop: () => string, work: () => Promise<Result>): Promise<Result> {
  // `once` has removed it when the process sends the signal again.
  if (running.length === 0) for (const signal of SIGNALS) process.once(signal, stop)
  running.push(onStop)
  try {
    return await work()
  } finally {
    running.splice(running.indexOf(onStop), 1)
    if (running.length === 0) for (const signal of SIGNALS) process.off(signal, stop)
  }
}
