import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { SlotKind } from '../gateway/admission/fair-share.ts'
import type { MetricValues } from '../gateway/telemetry/metrics.ts'
import type { ToWorker } from './messages.ts'

/** A connection that a worker has, or is about to get. */
export interface Connection {
  id: number
  /** The primary's copy of the socket, until the worker has accepted it. */
  socket: Socket | undefined
  /** Called when the connection is closed, to count it no longer. */
  release: () => void
}

/** A worker, as the primary process sees it. */
export class WorkerProcess {
  /** Its number, from 0. The worker that replaces it gets the same number. */
  readonly index: number
  readonly connections = new Map<number, Connection>()
  isReady = false
  /** The slots that its requests hold. */
  readonly slots: { kind: SlotKind; keyId: string }[] = []
  /** The values of its metrics when they were last read. */
  metrics: MetricValues = []
  readonly #worker: Worker

  constructor(worker: Worker, index: number) {
    this.#worker = worker
    this.index = index
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  /** Sends a message, and with it a socket, which stays open in this process too. */
  send(message: ToWorker, socket?: Socket): void {
    if (!this.#worker.isConnected()) return
    // An error means that the worker ends. Its `exit` event follows.
    this.#worker.send(message, socket, { keepOpen: true }, () => {})
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }
}
