/*
 * Fair queueing of jobs between API keys. A job takes a place for a while: an SQL statement takes a connection, a compression a thread.
 * Connections have one queue, and threads have another.
 *
 * The order of waiting jobs is start-time fair queueing. Each key has a virtual time, which grows by the time of its jobs. The key with
 * the least virtual time goes first. The virtual time of the queue is the virtual time of the key whose job began last. A key that comes
 * back begins there, without debt or credit. So a key that sends little waits for one job at most.
 * Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996), https://doi.org/10.1145/248156.248171
 *
 * One place is reserved for idle keys. When keys compete, long jobs share a quarter of the places: many of them would take the processors
 * from short ones. Each worker process has its own queues.
 */

/** A key is active while it runs a job, and for this time after its last one. */
const ACTIVE_MS = 1_000

/** Above this number, the queue forgets keys that run nothing and are less than a millisecond ahead of it. */
const KNOWN_KEYS = 1_000

/** Ends a turn. */
export type EndTurn = () => void

interface Waiting {
  keys: readonly string[]
  start: () => void
  /** When the job fails if it still waits. */
  untilMs: number
  giveUp: () => void
}

/** The code of `TurnTimeout`. It is no SQLSTATE, because the database has not failed. */
export const TURN_TIMEOUT = 'TURN_TIMEOUT'

/** The error of a job that waited too long for its turn. */
export class TurnTimeout extends Error {
  readonly code = TURN_TIMEOUT
  /** Prisma's adapter passes on the code of an error only if the error has a severity, as PostgreSQL's errors have. */
  readonly severity = 'ERROR'

  constructor(timeoutMs: number) {
    super(`The job waited longer than ${timeoutMs} ms for its turn`)
  }
}

interface FairQueueOptions {
  /** The number of jobs that may run at the same time. */
  places: number
  /** A job that waits longer fails. */
  timeoutMs: number
  /** Returns the time in milliseconds. */
  clock?: () => number
}

/** Gives jobs their turns. */
export class FairQueue {
  readonly #places: number
  readonly #timeoutMs: number
  readonly #clock: () => number
  readonly #uses = new Map<string, QueueAccount>()
  /** The waiting jobs by their keys, in the order of their arrival. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0
  #virtualMs = 0

  constructor({ places, timeoutMs, clock = () => performance.now() }: FairQueueOptions) {
    this.#places = places
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** The number of jobs that wait. */
  get waiting(): number {
    let count = 0
    for (const { length } of this.#waiting.values()) count += length
    return count
  }

  /**
   * Waits for the turn of a job, and returns the function that ends the turn.
   * @param keys are the ids of the API keys that share the job. The job begins when the first of them may begin one, and its time counts
   * for each of them.
   * @param isPatient is whether the job waits as long as it must
   * @throws a `TurnTimeout`
   */
  async begin(keys: readonly string[], isPatient = false): Promise<EndTurn> {
    return this.beginAtOnce(keys) ?? this.#wait(keys, isPatient)
  }

  /** The same for a job that need not wait; undefined if it must. */
  beginAtOnce(keys: readonly string[]): EndTurn | undefined {
    return this.#mayStart(keys) ? this.#start(keys) : undefined
  }

  /** Whether a key other than these is active. */
  isShared(keys: readonly string[]): boolean {
    const sinceMs = this.#clock() - ACTIVE_MS
    for (const [key, use] of this.#uses) {
      if (!keys.includes(key) && (use.running > 0 || use.lastMs > sinceMs)) return true
    }
    return false
  }

  #mayStart(keys: readonly string[]): boolean {
    const free = this.#places - this.#running
    if (keys.some((key) => !this.#uses.get(key)?.running)) return free > 0
    return free > 1 && this.#isWithinShare(keys)
  }

  /** Whether these keys have short jobs, or are active alone, or the keys without short jobs use less than a quarter of the places. */
  #isWithinShare(keys: readonly string[]): boolean {
    const nowMs = this.#clock()
    if (keys.some((key) => this.#uses.get(key)?.hasShortJobs(nowMs)) || !this.isShared(keys)) return true
    let running = 0
    for (const use of this.#uses.values()) if (!use.hasShortJobs(nowMs)) running += use.running
    return running < Math.max(1, this.#places / 4)
  }

  #start(keys: readonly string[]): EndTurn {
    const startMs = this.#clock()
    const uses = keys.map((key) => this.#useOf(key))
    this.#running += 1
    for (const use of uses) use.start(startMs, this.#virtualMs)
    const advance = (nowMs: number) => {
      this.#virtualMs = Math.max(this.#virtualMs, Math.min(...uses.map((use) => use.virtualMs(nowMs))))
    }
    advance(startMs)
    return () => {
      const nowMs = this.#clock()
      this.#running -= 1
      for (const use of uses) use.end(startMs, nowMs)
      if (this.#waiting.size > 0) this.#refuseLate(this.#waiting.get(keys.join()), nowMs)
      // Without waiting jobs, this one is no debt of its keys.
      if (this.#waiting.size === 0) advance(nowMs)
      this.#startNext(nowMs)
    }
  }

  #wait(keys: readonly string[], isPatient: boolean): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const name = keys.join()
      const list = this.#waiting.get(name) ?? []
      this.#waiting.set(name, list)
      const leave = () => {
        clearTimeout(timer)
        list.splice(list.indexOf(waiting), 1)
        if (list.length === 0) this.#waiting.delete(name)
      }
      const giveUp = () => {
        leave()
        reject(new TurnTimeout(this.#timeoutMs))
      }
      const timer = isPatient ? undefined : setTimeout(giveUp, this.#timeoutMs).unref()
      const nowMs = this.#clock()
      const waiting: Waiting = {
        keys,
        untilMs: isPatient ? Number.POSITIVE_INFINITY : nowMs + this.#timeoutMs,
        giveUp,
        start: () => {
          leave()
          resolve(this.#start(keys))
        },
      }
      list.push(waiting)
      this.#refuseLate(list, nowMs)
    })
  }

  /** Refuses the last jobs of a key that can't get their turns in time. Otherwise they would wait for nothing. */
  #refuseLate(list: Waiting[] | undefined, nowMs: number): void {
    for (;;) {
      const last = list?.at(-1)
      if (!list || !last) return
      const waitMs = Math.min(...last.keys.map((key) => this.#uses.get(key)?.waitMs(list.length - 1) ?? 0))
      if (nowMs + waitMs <= last.untilMs) return
      last.giveUp()
    }
  }

  #startNext(nowMs: number): void {
    for (;;) {
      let next: Waiting | undefined
      let least = Number.POSITIVE_INFINITY
      for (const [first] of this.#waiting.values()) {
        if (!first || !this.#mayStart(first.keys)) continue
        const rank = this.#rank(first.keys, nowMs)
        if (rank < least) {
          next = first
          least = rank
        }
      }
      if (!next) return
      next.start()
    }
  }

  /** By how many milliseconds the key of a job that has used least is ahead of the queue; the least rank goes first. */
  #rank(keys: readonly string[], nowMs: number): number {
    const ranks = keys.map((key) => {
      const use = this.#uses.get(key)
      return use ? Math.max(0, use.virtualMs(nowMs) - this.#virtualMs) : 0
    })
    return Math.min(...ranks)
  }

  #useOf(key: string): QueueAccount {
    const known = this.#uses.get(key)
    if (known) return known
    const use = new QueueAccount()
    if (this.#uses.size >= KNOWN_KEYS) this.#forget()
    this.#uses.set(key, use)
    return use
  }

  #forget(): void {
    const nowMs = this.#clock()
    for (const [key, use] of this.#uses) if (use.running === 0 && this.#rank([key], nowMs) < 1) this.#uses.delete(key)
  }
}

/** What a key has done counts half after this time. */
const HALF_LIFE_MS = 10_000

/** A job that runs longer is long. */
const LONG_MS = 50
/** A key has short jobs if more than this number of its jobs have ended lately, and its long ones have taken less than this time. */
const SHORT = { count: 4, longMs: 500 }

/** The shortest of this number of last jobs says how long the next ones take at least. */
const LAST_JOBS = 4

/** The time that the jobs of one key take. Times are milliseconds of any clock. */
class QueueAccount {
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
