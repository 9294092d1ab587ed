/** What a key has done counts half after this time. */
const HALF_LIFE_MS = 10_000

/** A job that runs longer is long. */
const LONG_MS = 50
/** A key has short jobs if more than this number of its jobs have ended lately, and its long ones have taken less than this time. */
const SHORT = { count: 4, longMs: 500 }

/** The shortest of this number of last jobs says how long the next ones take at least. */
const LAST_JOBS = 4

/** The time that the jobs of one key take (fair-queue.ts). Times are milliseconds of any clock. */
export class QueueAccount {
  /** The number of jobs that run. */
  running = 0
  /** When its last job ended. */
  lastMs = Number.NEGATIVE_INFINITY
  #endedCount = 0
  #endedLongMs = 0
  #startsMs = 0
  /** The durations of the last jobs. */
  readonly #lastJobsMs: number[] = []
  /** The virtual time without that of running jobs. */
  #endedMs = 0

  /** The key's virtual time: that of the queue when the key last began to use it, and the time of its jobs since then. */
  virtualMs(nowMs: number): number {
    return this.#endedMs + this.#runningMs(nowMs)
  }

  /** Whether enough jobs have ended lately to judge the key by, and few of them were long. */
  hasShortJobs(nowMs: number): boolean {
    const longMs = this.#decay(this.#endedLongMs, nowMs) + Math.max(0, this.#runningMs(nowMs) - this.running * LONG_MS)
    return longMs < SHORT.longMs && this.#decay(this.#endedCount, nowMs) > SHORT.count
  }

  /** Begins a job. The time in which the key has used nothing gives it no advantage over others. */
  start(nowMs: number, queueVirtualMs: number): void {
    if (this.running === 0) this.#endedMs = Math.max(this.#endedMs, queueVirtualMs)
    this.running += 1
    this.#startsMs += nowMs
  }

  end(startMs: number, nowMs: number): void {
    const durationMs = nowMs - startMs
    this.#endedMs += durationMs
    this.#lastJobsMs.push(durationMs)
    if (this.#lastJobsMs.length > LAST_JOBS) this.#lastJobsMs.shift()
    this.#endedLongMs = this.#decay(this.#endedLongMs, nowMs) + (durationMs > LONG_MS ? durationMs : 0)
    this.#endedCount = this.#decay(this.#endedCount, nowMs) + 1
    this.lastMs = nowMs
    this.running -= 1
    this.#startsMs -= startMs
  }

  /** The milliseconds until the key can begin as many jobs, if each takes as long as the shortest of its last ones; 0 if few have ended. */
  waitMs(jobs: number): number {
    if (this.#lastJobsMs.length < LAST_JOBS || this.running === 0) return 0
    return (jobs * Math.min(...this.#lastJobsMs)) / this.running
  }

  /** How much a sum that was right at `lastMs` counts now. */
  #decay(sum: number, nowMs: number): number {
    return sum === 0 ? 0 : sum * 0.5 ** ((nowMs - this.lastMs) / HALF_LIFE_MS)
  }

  #runningMs(nowMs: number): number {
    return this.running * nowMs - this.#startsMs
  }
}
