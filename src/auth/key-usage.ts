import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiKey } from '../catalog/access.ts'
import type { ItemsRead } from '../catalog/snapshot/read-log.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'

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
  readonly #countItems: ((items: number) => void) | undefined
  #datasetId = NO_SINGLE_DATASET
  #hasRead = false
  #unsentItems = 0

  /** @param options `countItems` is called with the numbers of items that are sent; undefined for a key without a limit of items. */
  constructor(
    key: Pick<ApiKey, 'id' | 'name'>,
    now: Date,
    { usage, countItems }: { usage: KeyUsage | undefined; countItems?: ((items: number) => void) | undefined },
  ) {
    this.key = key
    this.#now = now
    this.#usage = usage
    this.#countItems = countItems
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
    if (items > 0) this.#countItems?.(items)
  }

  #moveTo(datasetId: string, slug: string | undefined): void {
    this.dataset = slug
    if (datasetId === this.#datasetId) return
    this.#usage?.add(this.key.id, this.#datasetId, this.#now, { requests: -1 })
    this.#usage?.add(this.key.id, datasetId, this.#now, { requests: 1 })
    this.#datasetId = datasetId
  }
}

/** The interval at which usage is written, in one statement for all keys. */
const INTERVAL_MS = 30_000

/** At its end a process waits this long for its last write. On the embedded database a write waits for the end of an import. */
const LAST_WRITE_MS = 5_000

const DAY_MS = 86_400_000

/** The nil UUID (RFC 9562 section 5.9) means several datasets, or none. A primary key can't have NULL. */
export const NO_SINGLE_DATASET = '00000000-0000-0000-0000-000000000000'

/** Usage of a dataset with a key on a day. */
interface Counts {
  requests: number
  /** Items in the responses. */
  items: number
  /** Bytes of the responses' bodies, before compression. */
  bytes: number
}

interface Row extends Counts {
  keyId: string
  datasetId: string
  /** The last use on its day. */
  usedAt: Date
}

/** Records when and how much keys are used: first in memory, and at intervals in the database. */
export class KeyUsage {
  readonly #prisma: PrismaClient
  /** By day, key and dataset. One text of the three would take longer to make than all else of a count. */
  #rows = new Map<number, Map<string, Map<string, Row>>>()

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Adds to the usage of a dataset with a key on the day of `usedAt`, in UTC. */
  add(keyId: string, datasetId: string, usedAt: Date, { requests = 0, items = 0, bytes = 0 }: Partial<Counts>): void {
    const day = Math.floor(usedAt.getTime() / DAY_MS)
    const rows = this.#rows.get(day)?.get(keyId) ?? this.#rowsOf(day, keyId)
    const row = rows.get(datasetId)
    if (!row) {
      rows.set(datasetId, { keyId, datasetId, usedAt, requests, items, bytes })
      return
    }
    row.requests += requests
    row.items += items
    row.bytes += bytes
    if (usedAt > row.usedAt) row.usedAt = usedAt
  }

  #rowsOf(day: number, keyId: string): Map<string, Row> {
    const rows = new Map<string, Row>()
    this.#rows.set(day, (this.#rows.get(day) ?? new Map()).set(keyId, rows))
    return rows
  }

  /** Writes the usage since the last write to the database. After an error, the next write includes it. */
  async write(): Promise<void> {
    const rows = [...this.#rows.values()].flatMap((keys) => [...keys.values()].flatMap((row) => [...row.values()]))
    if (rows.length === 0) return
    this.#rows = new Map()
    try {
      await this.#insert(rows)
    } catch (error) {
      for (const row of rows) this.add(row.keyId, row.datasetId, row.usedAt, row)
      throw error
    }
  }

  /**
   * The join skips deleted keys. greatest() keeps a later use that another gateway recorded. ORDER BY prevents a deadlock with
   * another gateway that writes the same keys.
   */
  async #insert(rows: readonly Row[]): Promise<void> {
    await this.#prisma.$executeRaw`
      WITH used AS (
        SELECT id, dataset_id, used_at, requests, items, bytes
          FROM unnest(${rows.map(({ keyId }) => keyId)}::uuid[], ${rows.map(({ datasetId }) => datasetId)}::uuid[],
                      ${rows.map(({ usedAt }) => usedAt)}::timestamptz[], ${rows.map(({ requests }) => requests)}::bigint[],
                      ${rows.map(({ items }) => items)}::bigint[], ${rows.map(({ bytes }) => bytes)}::bigint[])
               AS used (id, dataset_id, used_at, requests, items, bytes)
          JOIN api_keys USING (id)
      ), last_use AS (
        INSERT INTO key_uses (api_key_id, used_at)
        SELECT id, max(used_at) FROM used GROUP BY id ORDER BY id
            ON CONFLICT (api_key_id) DO UPDATE SET used_at = greatest(key_uses.used_at, excluded.used_at)
      )
      INSERT INTO key_usage_days AS total (api_key_id, dataset_id, day, requests, items, bytes)
      SELECT id, dataset_id, (used_at AT TIME ZONE 'UTC')::date AS day, requests, items, bytes FROM used ORDER BY id, day, dataset_id
          ON CONFLICT (api_key_id, day, dataset_id) DO UPDATE
                  SET requests = total.requests + excluded.requests,
                      items = total.items + excluded.items,
                      bytes = total.bytes + excluded.bytes`
  }

  /**
   * Starts to write twice a minute, one write at a time: on the embedded database each keeps a connection until an import ends, and the
   * requests need the connections.
   * @param report is called with the error of a failed write
   * @returns a function that stops and writes a last time. It waits at most five seconds for that.
   */
  writeRegularly(report: (error: unknown) => void): () => Promise<void> {
    let current: Promise<void> | undefined
    const write = () => {
      current ??= this.write()
        .catch(report)
        .finally(() => {
          current = undefined
        })
      return current
    }
    const writeLast = async () => {
      await current
      await write()
    }
    const timer = setInterval(write, INTERVAL_MS)
    return async () => {
      clearInterval(timer)
      await Promise.race([writeLast(), sleep(LAST_WRITE_MS, undefined, { ref: false })])
    }
  }
}
