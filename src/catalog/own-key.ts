import type { ApiKey } from './access.ts'
import type { Dataset } from './models.ts'
import type { DatasetList } from './snapshot/dataset-list.ts'
import type { Loaders } from './snapshot/loaders.ts'
import type { ReadLog } from './snapshot/read-log.ts'

/** Permission for a dataset; without an end if `expiresAt` is null. */
export interface OwnGrant {
  dataset: Dataset
  expiresAt: Date | null
}

/** Usage of a dataset with the key on a day in UTC, written as `2026-11-21`. */
export interface OwnUsage {
  day: string
  /** Null for requests that read several datasets, or none, and for datasets that the key may not access now. */
  dataset: Dataset | null
  requests: number
  items: number
  bytes: number
}

const DAY_MS = 86_400_000

/** The caller's API key as its owner may see it: without datasets that it may not access. */
export class OwnKey {
  readonly key: ApiKey
  readonly #list: DatasetList
  readonly #loaders: Loaders
  readonly #readLog: ReadLog

  constructor(list: DatasetList, loaders: Loaders, readLog: ReadLog) {
    readLog.dependOnKey()
    this.key = readLog.key
    this.#list = list
    this.#loaders = loaders
    this.#readLog = readLog
  }

  /** The grants that have not expired, by slug. */
  grants(): OwnGrant[] {
    const { now } = this.#readLog
    return this.key.grants
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      .flatMap(({ datasetId, expiresAt }) => {
        const dataset = this.#datasetWith(datasetId)
        return dataset ? [{ dataset, expiresAt }] : []
      })
      .sort((a, b) => compare(a.dataset.slug, b.dataset.slug))
  }

  /** Usage on the last days with today, by day, then slug. It is accurate to half a minute. */
  async usage(days: number): Promise<OwnUsage[]> {
    const today = Math.floor(this.#readLog.now.getTime() / DAY_MS) * DAY_MS
    const rows = await this.#loaders.keyUsage(this.key.id, new Date(today - (days - 1) * DAY_MS))
    const totals = new Map<string, OwnUsage>()
    for (const row of rows) {
      const day = row.day.toISOString().slice(0, 10)
      const dataset = this.#datasetWith(row.datasetId) ?? null
      const name = `${day} ${dataset?.slug ?? ''}`
      const total = totals.get(name) ?? { day, dataset, requests: 0, items: 0, bytes: 0 }
      total.requests += Number(row.requests)
      total.items += Number(row.items)
      total.bytes += Number(row.bytes)
      totals.set(name, total)
    }
    return [...totals].sort(([a], [b]) => compare(a, b)).map(([, total]) => total)
  }

  #datasetWith(id: string): Dataset | undefined {
    const dataset = this.#list.withId(id)
    return dataset && this.#readLog.mayAccess(dataset) ? dataset : undefined
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
