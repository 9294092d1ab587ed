import type { PrismaClient } from '../generated/prisma/client.ts'

/** The interval at which uses are written, in one statement for all keys. */
const INTERVAL_MS = 30_000

const DAY_MS = 86_400_000

/** The uses of a key since the last write: the time of the last use, and the number on each day (days since 1970-01-01, UTC). */
interface Uses {
  lastUsedAt: Date
  counts: Map<number, number>
}

/** Records when and how often keys are used: first in memory, and at intervals in the database. */
export class KeyUsage {
  readonly #prisma: PrismaClient
  #uses = new Map<string, Uses>()

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Records that a key was used. */
  record(keyId: string, now: Date): void {
    this.#add(keyId, now, Math.floor(now.getTime() / DAY_MS), 1)
  }

  #add(keyId: string, usedAt: Date, day: number, count: number): void {
    const uses = this.#uses.get(keyId)
    if (!uses) {
      this.#uses.set(keyId, { lastUsedAt: usedAt, counts: new Map([[day, count]]) })
      return
    }
    if (usedAt > uses.lastUsedAt) uses.lastUsedAt = usedAt
    uses.counts.set(day, (uses.counts.get(day) ?? 0) + count)
  }

  /** Writes the uses since the last write to the database. After an error, the next write includes them. */
  async write(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    const rows = [...uses].flatMap(([keyId, { lastUsedAt, counts }]) =>
      [...counts].map(([day, count]) => ({ keyId, lastUsedAt, day, count })),
    )
    try {
      await this.#insert(rows)
    } catch (error) {
      for (const { keyId, lastUsedAt, day, count } of rows) this.#add(keyId, lastUsedAt, day, count)
      throw error
    }
  }

  /**
   * The join skips deleted keys. greatest() keeps a later use that another gateway recorded. ORDER BY prevents
   * a deadlock with another gateway that writes the same keys.
   */
  async #insert(rows: readonly { keyId: string; lastUsedAt: Date; day: number; count: number }[]): Promise<void> {
    await this.#prisma.$executeRaw`
      WITH used AS (
        SELECT id, used_at, date '1970-01-01' + day AS day, requests
          FROM unnest(${rows.map(({ keyId }) => keyId)}::uuid[], ${rows.map(({ lastUsedAt }) => lastUsedAt)}::timestamptz[],
                      ${rows.map(({ day }) => day)}::integer[], ${rows.map(({ count }) => count)}::integer[])
               AS used (id, used_at, day, requests)
          JOIN api_keys USING (id)
      ), last_use AS (
        INSERT INTO key_uses (api_key_id, used_at)
        SELECT id, max(used_at) FROM used GROUP BY id ORDER BY id
            ON CONFLICT (api_key_id) DO UPDATE SET used_at = greatest(key_uses.used_at, excluded.used_at)
      )
      INSERT INTO key_usage_days AS total (api_key_id, day, requests)
      SELECT id, day, requests FROM used ORDER BY id, day
          ON CONFLICT (api_key_id, day) DO UPDATE SET requests = total.requests + excluded.requests`
  }

  /**
   * Starts to write twice a minute.
   * @param report is called with the error of a failed write
   * @returns a function that writes a last time and stops
   */
  writeRegularly(report: (error: unknown) => void): () => Promise<void> {
    const write = () => this.write().catch(report)
    const timer = setInterval(write, INTERVAL_MS)
    return async () => {
      clearInterval(timer)
      await write()
    }
  }
}
