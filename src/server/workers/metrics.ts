import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Metrics, MetricValues } from '../telemetry/metrics.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that does not answer in this time counts with its last values. */
const READ_TIMEOUT_MS = 2_000

/** The metrics of the primary and of all workers, added up. */
export class AddedMetrics implements Pick<Metrics, 'print'> {
  readonly #own: Metrics
  readonly #workers: () => readonly WorkerProcess[]
  /** The counts of workers that have ended, so that no count ever falls. */
  #ended: MetricValues = []
  readonly #reading = new Map<WorkerProcess, () => void>()

  constructor(own: Metrics, workers: () => readonly WorkerProcess[]) {
    this.#own = own
    this.#workers = workers
  }

  readonly print = async (): Promise<string> => {
    const workers = this.#workers()
    await Promise.race([Promise.all(workers.map((worker) => this.#read(worker))), sleep(READ_TIMEOUT_MS)])
    const values = [await this.#own.values(), this.#ended, ...workers.map(({ metrics }) => metrics)]
    return AggregatorRegistry.aggregate(values).metrics()
  }

  onValues(worker: WorkerProcess, values: MetricValues): void {
    worker.metrics = values
    this.#reading.get(worker)?.()
  }

  async onEnd(worker: WorkerProcess): Promise<void> {
    const counts = worker.metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
    worker.metrics = []
    this.#ended = await AggregatorRegistry.aggregate([this.#ended, counts]).getMetricsAsJSON()
    this.#reading.get(worker)?.()
  }

  #read(worker: WorkerProcess): Promise<void> {
    return new Promise((resolve) => {
      this.#reading.set(worker, () => {
        this.#reading.delete(worker)
        resolve()
      })
      worker.send({ type: 'readMetrics' })
    })
  }
}
