import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Metrics, MetricValues } from '../gateway/telemetry/metrics.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that does not answer in this time counts with its last values. */
const READ_TIMEOUT_MS = 2_000

/** The metrics of the primary and of all workers, added up. */
export class AddedMetrics implements Pick<Metrics, 'print' | 'values'> {
  readonly #own: Metrics
  readonly #workers: () => readonly WorkerProcess[]
  /** The counts of workers that have ended, so that no count ever falls. */
  #ended: Promise<MetricValues> = Promise.resolve([])
  readonly #reading = new Map<WorkerProcess, PromiseWithResolvers<void>>()

  constructor(own: Metrics, workers: () => readonly WorkerProcess[]) {
    this.#own = own
    this.#workers = workers
  }

  readonly print = async (): Promise<string> => (await this.#add()).metrics()

  readonly values = async (): Promise<MetricValues> => (await this.#add()).getMetricsAsJSON()

  async #add(): Promise<Registry> {
    const workers = this.#workers()
    const reading = Promise.all(workers.map((worker) => this.#read(worker)))
    await Promise.race([reading, sleep(READ_TIMEOUT_MS, undefined, { ref: false })])
    const own = await this.#own.values()
    // Taken in one turn of the event loop, so that the values of a worker that ends at this time count exactly once.
    const [ended, running] = [this.#ended, workers.map(({ metrics }) => metrics)]
    return AggregatorRegistry.aggregate([own, await ended, ...running])
  }

  onValues(worker: WorkerProcess, values: MetricValues): void {
    worker.metrics = values
    this.#endRead(worker)
  }

  onEnd(worker: WorkerProcess): void {
    const counts = worker.metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
    worker.metrics = []
    this.#ended = this.#ended.then((ended) => AggregatorRegistry.aggregate([ended, counts]).getMetricsAsJSON())
    this.#endRead(worker)
  }

  /** Several readers at the same time share one message to the worker. */
  #read(worker: WorkerProcess): Promise<void> {
    const reading = this.#reading.get(worker)
    if (reading) return reading.promise
    const started = Promise.withResolvers<void>()
    this.#reading.set(worker, started)
    worker.send({ type: 'readMetrics' })
    return started.promise
  }

  #endRead(worker: WorkerProcess): void {
    this.#reading.get(worker)?.resolve()
    this.#reading.delete(worker)
  }
}
