import { QueueAccount } from './queue-account.ts'

/*
 * Fair queueing of jobs between API keys. A job takes a place for a while: an SQL statement takes a connection, a compression a thread.
 * Connections have one queue, and threads have another.
 *
 * The order of waiting jobs is start-time fair queueing. Each key has a virtual time, which grows by the time of its jobs. The key with
 * the least virtual time goes first. The virtual time of the queue is the virtual time of the key whose job began last. A key that comes
 * back begins there, without debt or credit. So a key that sends little waits for one job at most.
 * Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996), https://doi.org/10.1145/248156.248171
 *
 * The last free place is for a key that runs no job. While several keys are active, a key without short jobs has one place, and more only
 * while all such keys use less than a quarter of the places: many long jobs would take the processors from short ones. Each worker
 * process has its own queues.
 */

/** A key is active while it runs a job, and for this time after its last one. */
const ACTIVE_MS = 1_000

/** Jobs yield to searches for unknown keys at most once in this time. */
const PASS_BY_MS = 1_000

/** In an order of turns, one level counts more than all milliseconds by which a key can be ahead of the queue. */
const LEVEL = 1e9

/** Above this number, the queue forgets keys that run nothing and are less than a millisecond ahead of it. */
const KNOWN_KEYS = 1_000

/** Ends a turn. */
export type EndTurn = () => void

/** A running job that can yield: it stops, and its owner begins it again later. */
interface Yielding {
  keys: readonly string[]
  startMs: number
  yieldTurn: () => void
}

/** How a job waits for its turn. */
interface WaitOptions {
  /** Called at most once, if the job must stop for another key. */
  yieldTurn?: (() => void) | undefined
  /** Whether the job waits as long as it must. */
  isPatient?: boolean | undefined
  /** The number of its request. A key runs the jobs of its earlier requests first, so that some of its requests end in time. */
  request?: number | undefined
}

interface Waiting {
  request: number
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
  /**
   * The length of the first time slice of a multilevel feedback queue. A job that runs longer than this is on level 1, one that runs
   * twice as long on level 2, four times as long on level 3, and so on. A job yields to keys of a lower level. A key with short jobs is
   * on level 0, any other one on that of its longest job. So keys with short jobs hardly wait, and a long job gets a longer turn each
   * time, until it ends. Without a slice, no job yields.
   */
  sliceMs?: number | undefined
  /** Returns the time in milliseconds. */
  clock?: () => number
}

/** Gives jobs their turns. */
export class FairQueue {
  readonly #places: number
  readonly #timeoutMs: number
  readonly #sliceMs: number
  readonly #clock: () => number
  readonly #uses = new Map<string, QueueAccount>()
  /** The waiting jobs by their keys, in the order of their requests, then of their arrival. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0
  #virtualMs = 0
  /** When a job last yielded to such a search. */
  #passedByMs = Number.NEGATIVE_INFINITY
  readonly #yielding = new Set<Yielding>()
  #timer: NodeJS.Timeout | undefined

  constructor({
    places,
    timeoutMs,
    sliceMs = Number.POSITIVE_INFINITY,
    clock = () => performance.now(),
  }: FairQueueOptions) {
    this.#places = places
    this.#timeoutMs = timeoutMs
    this.#sliceMs = sliceMs
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
   * @throws a `TurnTimeout`
   */
  async begin(keys: readonly string[], options: WaitOptions = {}): Promise<EndTurn> {
    return this.beginAtOnce(keys, options.yieldTurn) ?? this.#wait(keys, options)
  }

  /** The same for a job that need not wait; undefined if it must. */
  beginAtOnce(keys: readonly string[], yieldTurn?: () => void): EndTurn | undefined {
    return this.#mayStart(keys) ? this.#start(keys, yieldTurn) : undefined
  }

  /**
   * Lets each long job yield once to the search for an unknown key, which takes no turn. A client without a key can cause many searches. So
   * jobs have a second between two of these yields, and most end within it.
   */
  yieldToUnqueued(): void {
    for (const running of this.#yielding) {
      const yieldsAtMs = Math.max(running.startMs + this.#sliceMs, this.#passedByMs + PASS_BY_MS)
      const pass = () => {
        if (this.#yield(running)) this.#passedByMs = this.#clock()
      }
      setTimeout(pass, Math.max(0, yieldsAtMs - this.#clock())).unref()
    }
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

  #start(keys: readonly string[], yieldTurn: (() => void) | undefined): EndTurn {
    const startMs = this.#clock()
    const uses = keys.map((key) => this.#useOf(key))
    this.#running += 1
    for (const use of uses) use.start(startMs, this.#virtualMs)
    const advance = (nowMs: number) => {
      this.#virtualMs = Math.max(this.#virtualMs, Math.min(...uses.map((use) => use.virtualMs(nowMs))))
    }
    advance(startMs)
    const yielding = yieldTurn && Number.isFinite(this.#sliceMs) && { keys, startMs, yieldTurn }
    if (yielding) this.#yielding.add(yielding)
    return () => {
      const nowMs = this.#clock()
      this.#running -= 1
      if (yielding) this.#yielding.delete(yielding)
      for (const use of uses) use.end(startMs, nowMs)
      if (this.#waiting.size > 0) this.#refuseLate(this.#waiting.get(keys.join()), nowMs)
      // Without waiting jobs, this one is no debt of its keys.
      if (this.#waiting.size === 0) advance(nowMs)
      this.#startNext(nowMs)
      this.#letYield()
    }
  }

  #wait(keys: readonly string[], { yieldTurn, isPatient = false, request = 0 }: WaitOptions): Promise<EndTurn> {
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
        request,
        keys,
        untilMs: isPatient ? Number.POSITIVE_INFINITY : nowMs + this.#timeoutMs,
        giveUp,
        start: () => {
          leave()
          resolve(this.#start(keys, yieldTurn))
        },
      }
      list.splice(list.findLastIndex((other) => other.request <= request) + 1, 0, waiting)
      this.#refuseLate(list, nowMs)
      this.#letYield()
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

  /** Lets jobs yield that have run for their slice, and looks again later while others wait. */
  #letYield(): void {
    if (!Number.isFinite(this.#sliceMs) || this.#timer !== undefined) return
    const nowMs = this.#clock()
    let nextMs = this.#sliceMs
    for (const running of this.#yielding) {
      const leftMs = running.startMs + this.#sliceMs - nowMs
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs)
      else if (this.#mustYield(running, nowMs)) this.#yield(running)
    }
    if (this.#waiting.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#letYield()
    }, nextMs).unref()
  }

  /** Lets a job yield, unless it has ended or yielded. Returns whether it does. */
  #yield(running: Yielding): boolean {
    if (!this.#yielding.delete(running)) return false
    running.yieldTurn()
    return true
  }

  #mustYield({ keys, startMs }: Yielding, nowMs: number): boolean {
    const level = this.#level(nowMs - startMs)
    for (const [first] of this.#waiting.values()) {
      const isOther = first?.keys.every((key) => !keys.includes(key))
      if (first && isOther && this.#rank(first.keys, nowMs) < level * LEVEL) return true
    }
    return false
  }

  /** The rank of keys that share a job; the least rank goes first. It is the least one of the keys: by level, then by virtual time. */
  #rank(keys: readonly string[], nowMs: number): number {
    const ranks = keys.map((key) => {
      const use = this.#uses.get(key)
      if (!use) return 0
      // On a busy machine a short job is long now and then.
      const level = use.hasShortJobs(nowMs) ? 0 : this.#level(use.longestMs(nowMs))
      return level * LEVEL + Math.max(0, use.virtualMs(nowMs) - this.#virtualMs)
    })
    return Math.min(...ranks)
  }

  #level(durationMs: number): number {
    return durationMs < this.#sliceMs ? 0 : 1 + Math.floor(Math.log2(durationMs / this.#sliceMs))
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
