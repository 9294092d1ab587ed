import { on } from 'node:events'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { messageOf, operationFailed } from '../../errors.ts'
import { lockFolder } from './lock.ts'

/** An embedded PostgreSQL that is running, in this process or in another. */
export interface Embedded {
  /** The folder of its Unix socket. */
  socketDir: string
  close: () => Promise<void>
}

export const SOCKET_PORT = 5432

const MEMORY = 'memory://'

/** A first start takes some 10 seconds. */
const START_TIMEOUT_MS = 120_000

/** A command that has the database open lets others finish that came in through it. */
const COMMAND_PATIENCE_MS = 86_400_000

/** So long a server that stops waits for commands that came in through it. */
const PATIENCE_MS = 5_000

/** So long is waited before a database that does not start is started again. */
const RESTART_MS = 1_000

const holderFile = z.object({ pid: z.number(), socketDir: z.string() })
type Holder = z.output<typeof holderFile>

export interface EmbeddedOptions {
  /** Whether to go through the process that has the folder open, where there is one. */
  share: boolean
  /** Is told a line when the database ended by itself. */
  report?: (line: string) => void
}

/**
 * Opens the embedded database in `dataDir` (`memory://` keeps nothing). Where another process has it open, `share` says
 * to go through that process; otherwise that is an error.
 * @throws `OPERATION_FAILED` when the folder is in use or can't be used.
 */
export async function openEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const { report = () => {} } = options
  if (dataDir === MEMORY) return start({ dataDir: MEMORY, patienceMs: 0, report })
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw operationFailed(`DATA_DIR ${folder} can't be used: ${messageOf(error)}`, error)
  })
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const lock = takeLock(folder)
    if (lock) {
      const patienceMs = options.share ? COMMAND_PATIENCE_MS : PATIENCE_MS
      return startLocked(folder, lock.release, { patienceMs, report })
    }
    const holder = await readHolder(folder)
    if (!options.share) {
      throw operationFailed(`DATA_DIR ${folder} is in use by process ${holder?.pid ?? 'unknown'}; stop that one first`)
    }
    const visit = holder && (await visitHolder(holder.socketDir))
    if (holder && visit) return { socketDir: holder.socketDir, close: async () => void visit.destroy() }
    if (Date.now() > deadline) throw operationFailed(`DATA_DIR ${folder} is in use by a process that does not answer`)
    await sleep(100)
  }
}

function takeLock(folder: string) {
  try {
    return lockFolder(folder)
  } catch (error) {
    throw operationFailed(`DATA_DIR ${folder} can't be used: ${messageOf(error)}`, error)
  }
}

async function startLocked(
  folder: string,
  releaseLock: () => void,
  options: Omit<StartOptions, 'dataDir'>,
): Promise<Embedded> {
  const file = join(folder, 'holder.json')
  try {
    await rm(file, { force: true })
    const embedded = await start({ dataDir: join(folder, 'postgres'), ...options })
    const holder: Holder = { pid: process.pid, socketDir: embedded.socketDir }
    // In one step, as others may be looking.
    await writeFile(`${file}.new`, JSON.stringify(holder))
    await rename(`${file}.new`, file)
    return { socketDir: embedded.socketDir, close: () => embedded.close().finally(releaseLock) }
  } catch (error) {
    releaseLock()
    throw operationFailed(`The embedded database in ${folder} does not start: ${messageOf(error)}`, error)
  }
}

interface StartOptions {
  dataDir: string
  /** How long to wait, when closing, for those that came in through this process. */
  patienceMs: number
  report: (line: string) => void
}

/** Runs PostgreSQL in a worker; should that end by itself, in another: what was committed is in the folder. */
async function start({ dataDir, patienceMs, report }: StartOptions): Promise<Embedded> {
  // A folder of its own, as the path of a Unix socket has room for 107 bytes only.
  const socketDir = await mkdtemp(join(tmpdir(), 'catalog-'))
  let isClosing = false
  let worker = await startWorker(dataDir, socketDir)

  const follow = async () => {
    while (!isClosing) {
      const reason = await endOf(worker)
      if (isClosing) return
      if (dataDir === MEMORY) throw operationFailed(`The embedded database has ended, and all in it: ${reason}`)
      report(`The embedded database has ended and is started again: ${reason}`)
      await restart()
    }
  }
  const restart = async () => {
    while (!isClosing) {
      try {
        worker = await startWorker(dataDir, socketDir)
        return
      } catch (error) {
        report(`The embedded database does not start: ${messageOf(error)}`)
        await sleep(RESTART_MS)
      }
    }
  }
  const following = follow()

  const close = async () => {
    isClosing = true
    worker.postMessage(patienceMs)
    await following
    await rm(socketDir, { recursive: true, force: true })
  }
  return { socketDir, close }
}

/** Starts a worker, and gives it once it serves. */
async function startWorker(dataDir: string, socketDir: string): Promise<Worker> {
  const workerData = { dataDir, socketPath: join(socketDir, `.s.PGSQL.${SOCKET_PORT}`) }
  // Node's own options are for the process: some would not do for the worker.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData, execArgv: [] })
  // Under `node --watch` a worker also sends the names of the files that it loads.
  for await (const [message] of on(worker, 'message')) if (message === 'ready') break
  return worker
}

/** Waits for the end of a worker and gives its reason. */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    let reason: string | undefined
    worker.once('error', (error) => {
      reason = messageOf(error)
    })
    worker.once('exit', (code) => resolve(reason ?? `exit code ${code}`))
  })
}

async function readHolder(folder: string): Promise<Holder | undefined> {
  const text = await readFile(join(folder, 'holder.json'), 'utf8').catch(() => '')
  return text === '' ? undefined : holderFile.parse(JSON.parse(text))
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: answered with a byte. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** A connection to the holder, which keeps the database open for as long as that lasts; undefined when it is not up. */
function visitHolder(socketDir: string): Promise<Socket | undefined> {
  const socket = connect(join(socketDir, `.s.PGSQL.${SOCKET_PORT}`))
  socket.on('error', () => socket.destroy())
  socket.write(SSL_REQUEST)
  return new Promise((resolve) => {
    socket.once('data', () => resolve(socket))
    socket.once('close', () => resolve(undefined))
  })
}
