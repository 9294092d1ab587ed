import type { PrismaClient } from '../generated/prisma/client.ts'

/** How often uses are written, in one statement for all keys. */
const INTERVAL_MS = 30_000

/** Notes when keys are used, in memory, and now and then in the database. */
export class KeyUsage {
  readonly #prisma: PrismaClient
  #used = new Map<string, Date>()

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Notes that a key was used. */
  note(keyId: string, now: Date): void {
    this.#used.set(keyId, now)
  }

  /** Writes what was noted since the last time; what can't be written is noted still. */
  async write(): Promise<void> {
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    try {
      // A key may be gone by now; and another gateway may have seen it later.
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
   * @param report is told of what fails
   * @returns the way to stop, after a last time
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
