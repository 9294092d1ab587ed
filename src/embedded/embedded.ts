import { on, once } from 'node:events'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { completeRestore } from './backup.ts'
import { explainEnd } from './full-disk.ts'
import { writeLeanPostgis } from './lean-postgis.ts'
import { lockFolder } from './lock.ts'
import { unpackFolder } from './packed-folder.ts'
import { endOf } from './postgres-thread.ts'
import { makePrivate } from './private-files.ts'

/** A running embedded PostgreSQL, in this process or in another one. */
interface Embedded {
  /** Where clients connect: a Unix socket. */
  url: string
  close: () => Promise<void>
}

/** The path of the Unix socket in its folder, as PostgreSQL's clients expect it. */
const socketPath = (socketDir: string): string => join(socketDir, '.s.PGSQL.5432')

const urlOf = (socketDir: string) =>
  `postgresql://postgres@localhost:5432/postgres?host=${encodeURIComponent(socketDir)}`

/** The path of a Unix socket can have 107 bytes on Linux (unix(7)), and 103 on macOS. */
const MAX_SOCKET_PATH = 103

const MEMORY = 'memory://'

/** The first start takes about 10 seconds, because it creates the database. */
const START_TIMEOUT_MS = 120_000

/** A command does not wait longer for a database that is open, and whose socket it can't reach. A database that has ended starts again sooner. */
const REACH_TIMEOUT_MS = 5_000

/** At its end, a command that opened the database waits this long (a day) for the other processes that use it. */
const COMMAND_DRAIN_TIMEOUT_MS = 86_400_000

/** At its end, a server waits this long for the commands that use its database. */
const SERVER_DRAIN_TIMEOUT_MS = 5_000

/** The pause before another attempt to start the database. */
const RESTART_PAUSE_MS = 1_000

/** The content of `owner.json` in DATA_DIR: the process that has the database open, and its URL if it is a gateway that serves. */
const ownerFile = z.object({ pid: z.number(), socketDir: z.string(), url: z.string().optional() })
type Owner = z.output<typeof ownerFile>

interface EmbeddedOptions {
  /** Whether to use the database of another process that has the folder open. If false, that is an error. */
  share: boolean
  /** SQL that gives the session its settings. */
  settings?: string
  /** A packed folder (packed-folder.ts) that a new database begins with. */
  template?: string
  /** Called with a message when the database ends unexpectedly. */
  report?: (line: string) => void
}

/**
 * Opens the database in the folder `dataDir`, or in memory for `memory://`.
 * @throws `OPERATION_FAILED` if another process has the folder open and `share` is false, or if the folder can't be used
 */
export async function openEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const { settings = '', template, report = () => {} } = options
  if (dataDir === MEMORY) {
    const socketDir = await makeSocketDir()
    const { close } = await start({ dataDir: MEMORY, socketDir, settings, drainTimeoutMs: 0, report })
    return { url: urlOf(socketDir), close }
  }
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw operationFailed(`DATA_DIR ${folder} can't be used: ${messageOf(error)}`, error)
  })
  const startedAt = Date.now()
  for (;;) {
    const lock = takeLock(folder)
    if (lock) {
      const drainTimeoutMs = options.share ? COMMAND_DRAIN_TIMEOUT_MS : SERVER_DRAIN_TIMEOUT_MS
      // A command does not copy the database for itself.
      const copyDir = options.share ? undefined : join(folder, 'readers')
      return startLocked(folder, lock.release, { copyDir, settings, drainTimeoutMs, report }, template)
    }
    const owner = await readOwner(folder)
    if (!options.share) {
      throw operationFailed(`DATA_DIR ${folder} is in use by process ${owner?.pid ?? 'unknown'}; stop that one first`)
    }
    const waitedMs = Date.now() - startedAt
    if (owner) {
      const connection = await connectToOwner(owner.socketDir)
      if (!(connection instanceof Error)) {
        return { url: urlOf(owner.socketDir), close: async () => void connection.destroy() }
      }
      if (waitedMs > REACH_TIMEOUT_MS) throw unreachable(folder, owner, connection.message)
    }
    if (waitedMs > START_TIMEOUT_MS)
      throw operationFailed(`DATA_DIR ${folder} is in use by a process that does not answer`)
    await sleep(100)
  }
}

function unreachable(folder: string, { pid, socketDir }: Owner, reason: string): Error {
  const why = `process ${pid} has the database open, but its socket in ${socketDir} can't be reached (${reason})`
  return operationFailed(`DATA_DIR ${folder}: ${why}; run the command as its user, with the same /tmp`)
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
  options: Omit<StartOptions, 'dataDir' | 'socketDir'>,
  template: string | undefined,
): Promise<Embedded> {
  const file = join(folder, 'owner.json')
  try {
    await rm(file, { force: true })
    await completeRestore(folder)
    await makePrivate(folder, options.report)
    const dataDir = join(folder, 'postgres')
    await Promise.all([
      template !== undefined && unpackFolder(template, dataDir),
      // A package that only root can write to stays as it is, and starts slower.
      writeLeanPostgis().catch(() => {}),
    ])
    // PGlite would make a folder that everybody can read.
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const socketDir = await makeSocketDir(folder)
    const { close } = await start({ dataDir, socketDir, ...options })
    await writeOwner(folder, { pid: process.pid, socketDir })
    return { url: urlOf(socketDir), close: () => close().finally(releaseLock) }
  } catch (error) {
    releaseLock()
    const reason = await explainEnd(folder, messageOf(error))
    throw operationFailed(`The embedded database in ${folder} does not start: ${reason}`, error)
  }
}

/**
 * Creates the folder of the socket. It is in that of the database, which a process with a `/tmp` of its own sees too (PrivateTmp of systemd).
 * It is elsewhere for a database in memory, for a path that is too long, and on a file system without sockets.
 */
async function makeSocketDir(folder?: string): Promise<string> {
  const own = folder === undefined ? undefined : join(folder, 'socket')
  if (own !== undefined && Buffer.byteLength(socketPath(own)) <= MAX_SOCKET_PATH && (await canListen(own))) return own
  return mkdtemp(join(tmpdir(), 'catalog-'))
}

async function canListen(socketDir: string): Promise<boolean> {
  await mkdir(socketDir, { recursive: true, mode: 0o700 })
  await rm(socketPath(socketDir), { force: true })
  const server = createServer().listen(socketPath(socketDir))
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

interface StartOptions {
  dataDir: string
  socketDir: string
  /** The folder of the copy that readers use during exclusive work. Without it, they wait. */
  copyDir?: string | undefined
  settings: string
  /** How long `close` waits for other processes that use the database, in milliseconds. */
  drainTimeoutMs: number
  report: (line: string) => void
}

/** Runs PostgreSQL in a worker. If the worker ends unexpectedly, starts a new one; no committed data in a folder is lost. */
async function start(options: StartOptions) {
  const { dataDir, socketDir, drainTimeoutMs, report } = options
  let isClosing = false
  let worker = await startWorker(options)

  const follow = async () => {
    while (!isClosing) {
      const reason = await endOf(worker)
      if (isClosing) return
      if (dataDir === MEMORY) throw operationFailed(`The in-memory database has ended and its data is lost: ${reason}`)
      report(`The embedded database has ended and is started again: ${await explainEnd(dataDir, reason)}`)
      await restart()
    }
  }
  const restart = async () => {
    let told = ''
    while (!isClosing) {
      try {
        worker = await startWorker(options)
        // `close` has sent its message to the worker before this one.
        if (isClosing) await stop()
        return
      } catch (error) {
        const line = `The embedded database does not start: ${await explainEnd(dataDir, messageOf(error))}`
        if (line !== told) report(line)
        told = line
        await sleep(RESTART_PAUSE_MS)
      }
    }
  }
  const stop = () => {
    const ended = endOf(worker)
    worker.postMessage(drainTimeoutMs)
    return ended
  }
  const following = follow()

  const close = async () => {
    isClosing = true
    worker.postMessage(drainTimeoutMs)
    await following
    await rm(socketDir, { recursive: true, force: true })
  }
  return { close }
}

/** Starts a worker. Returns it when it accepts connections. */
async function startWorker({ dataDir, copyDir, socketDir, settings, report }: StartOptions): Promise<Worker> {
  const workerData = { dataDir, copyDir, settings, socketPath: socketPath(socketDir) }
  // The worker gets none of Node's options, because a worker refuses some of them.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData, execArgv: [] })
  worker.on('message', (message: unknown) => {
    const { data } = reportMessage.safeParse(message)
    if (data) report(data.report)
  })
  // Under `node --watch` a worker also sends the names of the files that it loads.
  for await (const [message] of on(worker, 'message')) if (message === 'ready') break
  return worker
}

/** A message of the worker for the operator. */
const reportMessage = z.object({ report: z.string() })

async function writeOwner(folder: string, owner: Owner): Promise<void> {
  const file = join(folder, 'owner.json')
  // A rename is atomic, so another process never reads half a file.
  await writeFile(`${file}.new`, JSON.stringify(owner), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Tells the commands that share the database the URL of the gateway that has it open, which is this process. */
export async function announceUrl(dataDir: string, url: string): Promise<void> {
  const folder = resolve(dataDir)
  const owner = dataDir === MEMORY ? undefined : await readOwner(folder)
  if (owner) await writeOwner(folder, { ...owner, url })
}

/** The URL of the gateway that has a database open. */
export async function findAnnouncedUrl(dataDir: string): Promise<string | undefined> {
  return dataDir === MEMORY ? undefined : (await readOwner(resolve(dataDir)))?.url
}

async function readOwner(folder: string): Promise<Owner | undefined> {
  // The file does not exist while the owner is starting.
  const text = await readFile(join(folder, 'owner.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw operationFailed(`DATA_DIR ${folder} can't be used: ${error.message}`, error)
  })
  return text === '' ? undefined : ownerFile.parse(JSON.parse(text))
}

/** PostgreSQL answers this message with one byte. https://www.postgresql.org/docs/current/protocol-message-formats.html */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Connects to the owner, which keeps the database open while the connection exists. Returns why there is no answer otherwise. */
function connectToOwner(socketDir: string): Promise<Socket | Error> {
  const socket = connect(socketPath(socketDir))
  socket.write(SSL_REQUEST)
  return new Promise((resolve) => {
    socket.once('data', () => resolve(socket))
    socket.on('error', resolve)
    socket.once('close', () => resolve(new Error('it answers nothing')))
  })
}
