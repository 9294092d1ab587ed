import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { expectUnchanged } from './leftovers.ts'
import { killProcesses } from './process.ts'

/*
 * Vitest runs this before each test file. Files share a process, so a file that leaves something behind fails, by its name.
 */

/** What a file finds in its process, a line each. */
const observe = (): string[] => [
  ...Object.entries(process.env).map(([name, value]) => `the environment variable ${name}=${value}`),
  ...process.eventNames().map((name) => `${process.rawListeners(name).length} listeners of ${String(name)}`),
]

/** Servers, connections, processes, threads and timers that keep the process alive, a line each. */
function listActive(): string[] {
  const counts = new Map<string, number>()
  return process.getActiveResourcesInfo().map((kind) => {
    const n = (counts.get(kind) ?? 0) + 1
    counts.set(kind, n)
    return `${kind} number ${n}`
  })
}

/** What Node says of calls that a later version of a library refuses, once a process. */
const deprecated: string[] = []
const onWarning = ({ name, message }: Error) => {
  if (name === 'DeprecationWarning') deprecated.push(message)
}
process.on('warning', onWarning)

const before = observe()
const activeBefore = listActive()
/** Connections take a moment to close, and a busy machine may take long. */
const CLOSE_TIMEOUT_MS = 60_000

afterAll(async () => {
  killProcesses()
  expectUnchanged('its process', before, observe())
  const deadline = Date.now() + CLOSE_TIMEOUT_MS
  const open = () => listActive().filter((line) => !activeBefore.includes(line))
  while (open().length > 0 && Date.now() < deadline) await sleep(10)
  expectUnchanged('its process', [], open())
  process.off('warning', onWarning)
  expectUnchanged('its process', [], deprecated)
})
