import type { PrismaClient } from '../generated/prisma/client.ts'

/** The interval at which uses are written, in one statement for all keys. */
const INTERVAL_MS = 30_000

/** Records when keys are used: first in memory, and at intervals in the database. */
export class KeyUsage {
  readonly #prisma: PrismaClient
  #used = new Map<string, Date>()

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Records that a key was used. */
  record(keyId: string, now: Date): void {
    this.#used.set(keyId, now)
  }

  /** Writes the uses since the last write to the database. If that fails, they are kept for the next write. */
  async write(): Promise<void> {
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    try {
      // The join skips keys that were deleted meanwhile; greatest() keeps a later use that another gateway recorded.
      await this.#prisma.$executeRaw`
        INSERT INTO key_uses (api_key_id, used_at)
        SELECT id, used_at FROM unnest(${[...used.keys()]}::uuid[], ${[...used.values()]}::timestamptz[]) AS used (id, used_at)
          JOIN api_keys USING (id)
        ON CONFLICT (api_key_id) DO UPDATE SET used_at = greatest(key_uses.used_at, excluded.used_at)`
    } catch (error) {
      this.#used = new Map([...used, ...this.#used])
      throw error
    }
  }

  /**
   * Writes twice a minute.
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
