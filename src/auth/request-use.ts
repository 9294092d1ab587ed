import type { ItemsRead } from '../catalog/snapshot/read-log.ts'
import type { ApiKey } from './api-key.ts'
import { type KeyUsage, NO_SINGLE_DATASET } from './key-usage.ts'

/**
 * What one request takes: the usage of its key, the items for the limit of its key, and the facts for the log and the metrics.
 * It counts for a dataset if it reads only this one.
 */
export class RequestUse {
  readonly key: Pick<ApiKey, 'id' | 'name'>
  /** The slug of the only dataset that the request reads. */
  dataset: string | undefined
  /** Items in the response. A response without a body, such as 304, has none. */
  items = 0
  /** Bytes of the response's body, before compression. */
  bytes = 0
  readonly #now: Date
  readonly #usage: KeyUsage | undefined
  readonly #countItems: (items: number) => void
  #datasetId = NO_SINGLE_DATASET
  #hasRead = false
  #unsentItems = 0

  /** @param options `countItems` is called with the numbers of items that are sent. */
  constructor(
    key: Pick<ApiKey, 'id' | 'name'>,
    now: Date,
    { usage, countItems }: { usage: KeyUsage | undefined; countItems: (items: number) => void },
  ) {
    this.key = key
    this.#now = now
    this.#usage = usage
    this.#countItems = countItems
    usage?.touch(key.id, now)
    usage?.add(key.id, this.#datasetId, now, { requests: 1 })
  }

  /** Records what the response reads, from the database or from the response cache. A long export reads many times. */
  read({ items, dataset }: ItemsRead): void {
    const datasetId = dataset?.id ?? NO_SINGLE_DATASET
    if (!this.#hasRead) this.#moveTo(datasetId, dataset?.slug)
    else if (datasetId !== this.#datasetId) this.#moveTo(NO_SINGLE_DATASET, undefined)
    this.#hasRead = true
    this.#unsentItems += items
  }

  /** Records bytes of the response's body, with the items that were read for them. */
  send(bytes: number): void {
    const items = this.#unsentItems
    this.#unsentItems = 0
    this.bytes += bytes
    this.items += items
    this.#usage?.add(this.key.id, this.#datasetId, this.#now, { items, bytes })
    if (items > 0) this.#countItems(items)
  }

  #moveTo(datasetId: string, slug: string | undefined): void {
    this.dataset = slug
    if (datasetId === this.#datasetId) return
    this.#usage?.add(this.key.id, this.#datasetId, this.#now, { requests: -1 })
    this.#usage?.add(this.key.id, datasetId, this.#now, { requests: 1 })
    this.#datasetId = datasetId
  }
}
