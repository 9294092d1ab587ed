/** What can change: one dataset, one API key, or any dataset. */
export type Topic = `dataset ${string}` | `key ${string}` | 'datasets'

/** The number of changes that had arrived at a point in time. */
export type SequenceNumber = number

/** Above this number of topics, the log is cleared, and all cached values become invalid. */
const MAX_TOPICS = 100_000

/** Records the sequence number of the last change of each topic. */
export class ChangeLog {
  latest: SequenceNumber = 0
  #allInvalidAt: SequenceNumber = 0
  readonly #changedAt = new Map<string, SequenceNumber>()

  /** Adds the change of a notification, whose payload is a topic or `everything`. */
  add(payload: string): void {
    if (payload === 'everything' || this.#changedAt.size >= MAX_TOPICS) this.invalidateAll()
    this.latest += 1
    this.#changedAt.set(payload, this.latest)
    if (payload.startsWith('dataset ')) this.#changedAt.set('datasets', this.latest)
  }

  /** Treats all topics as changed now. */
  invalidateAll(): void {
    this.latest += 1
    this.#allInvalidAt = this.latest
    this.#changedAt.clear()
  }

  isUnchanged(topics: readonly Topic[], since: SequenceNumber): boolean {
    if (since < this.#allInvalidAt) return false
    for (const topic of topics) {
      const changedAt = this.#changedAt.get(topic)
      if (changedAt !== undefined && changedAt > since) return false
    }
    return true
  }
}
