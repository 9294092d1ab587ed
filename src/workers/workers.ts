import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { WORKER_ENDS_MS } from '../config/stop-times.ts'
import { operationFailed } from '../errors/errors.ts'
import { isToPrimary, type ToPrimary, type ToWorker } from './messages.ts'
import { WorkerProcess } from './worker-process.ts'

/** After this number of workers in a row that ended before they were ready, the gateway gives up. */
const MAX_FAILED_STARTS = 5

interface WorkersOptions {
  count: number
  /** Makes the first message to a worker. */
  startMessage: (index: number) => ToWorker
  onMessage: (from: WorkerProcess, message: ToPrimary) => void
  /** Called when a worker has ended, after its replacement was started. */
  onEnd: (worker: WorkerProcess) => void
  /** Called with a message for the operator. */
  report: (message: string) => void
}

/** The worker processes of this primary process. A worker that ends is replaced at once. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #running = new Set<WorkerProcess>()
  readonly #allReady = Promise.withResolvers<void>()
  readonly #allEnded = Promise.withResolvers<void>()
  readonly #failure = Promise.withResolvers<never>()
  #failedStarts = 0
  #isStopping = false

  constructor(options: WorkersOptions) {
    this.#options = options
    // Without a listener, an early failure would end the process. Code that awaits `failure` gets the error.
    this.#failure.promise.catch(() => {})
    for (let index = 0; index < options.count; index += 1) this.#start(index)
  }

  /** The workers that can take connections. */
  get ready(): WorkerProcess[] {
    return [...this.#running].filter(({ isReady }) => isReady)
  }

  /** Resolves when all workers are ready for the first time. */
  get whenReady(): Promise<void> {
    return this.#allReady.promise
  }

  /** Rejects with `OPERATION_FAILED` when several workers in a row end before they are ready. */
  get failure(): Promise<never> {
    return this.#failure.promise
  }

  broadcast(message: ToWorker): void {
    for (const worker of this.#running) worker.send(message)
  }

  /** Lets the workers complete their requests and exit. Kills a worker that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.broadcast({ type: 'stop' })
    if (this.#running.size === 0) this.#allEnded.resolve()
    await Promise.race([this.#allEnded.promise, sleep(WORKER_ENDS_MS, undefined, { ref: false })])
    for (const worker of this.#running) {
      this.#options.report(`Worker ${worker.pid} did not end by itself, so it is killed`)
      worker.kill()
    }
    await this.#allEnded.promise
  }

  #start(index: number): void {
    const forked = cluster.fork()
    const worker = new WorkerProcess(forked, index)
    this.#running.add(worker)
    forked.on('message', (message: unknown) => {
      if (!isToPrimary(message)) return
      if (message.type === 'ready') this.#onReady(worker)
      this.#options.onMessage(worker, message)
    })
    forked.once('exit', (code, signal) => this.#onEnd(worker, signal ?? `exit code ${code}`))
    // A process that can't be started has no `exit` event.
    forked.on('error', (error) => {
      if (worker.pid === undefined) this.#onEnd(worker, error.message)
    })
    worker.send(this.#options.startMessage(index))
  }

  #onReady(worker: WorkerProcess): void {
    worker.isReady = true
    this.#failedStarts = 0
    if (this.ready.length === this.#options.count) this.#allReady.resolve()
  }

  #onEnd(worker: WorkerProcess, reason: string): void {
    if (!this.#running.delete(worker)) return
    if (!worker.isReady) this.#failedStarts += 1
    worker.isReady = false
    if (this.#isStopping) {
      if (this.#running.size === 0) this.#allEnded.resolve()
    } else if (this.#failedStarts >= MAX_FAILED_STARTS) this.#fail(reason)
    else {
      this.#options.report(`Worker ${worker.pid} has ended (${reason}); a new one takes its place`)
      this.#start(worker.index)
    }
    this.#options.onEnd(worker)
  }

  #fail(reason: string): void {
    this.#isStopping = true
    this.#failure.reject(
      operationFailed(`${MAX_FAILED_STARTS} workers in a row ended before they were ready (${reason})`),
    )
  }
}
