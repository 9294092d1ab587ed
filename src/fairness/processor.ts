import { TurnTimeout } from './fair-queue.ts'

/** In each turn of the event loop, requests begin at once for this time. Lists take 0.1 ms to begin, a GraphQL document up to 15. */
const TURN_MS = 2
/** A request that keeps the processor busy for this long at its beginning is large. */
const LARGE_MS = 1
/** Keys compete if another one has begun a request within this time. */
const ACTIVE_MS = 1_000
const TURN_TIMEOUT_MS = 15_000

/** Waits until a request of a key may begin work that keeps the processor busy. Returns undefined if it may begin at once. */
export type BeginWork = (keyId: string) => Promise<void> | undefined

/** A request that waits to begin. */
interface Waiting {
  sinceMs: number
  begin: () => void
  refuse: (error: TurnTimeout) => void
}

/**
 * Shares the event loop between keys. A request begins at once, unless earlier requests have kept the processor busy in the same turn of the
 * event loop. Then it waits for one of the next turns, in which the keys alternate. After a large request, a key pauses for as
 * long as it took while other keys are active: a small request needs five turns of the event loop, and would wait for five large ones.
 * @param clock returns the time in milliseconds
 * @returns a function whose promise fails with a `TurnTimeout` after 15 seconds
 */
export function shareProcessor(clock = () => performance.now()): BeginWork {
  const waiting = new Map<string, Waiting[]>()
  /** Until when keys pause. */
  const pauses = new Map<string, number>()
  /** When the first request of this turn of the event loop began. */
  let turnStartMs: number | undefined
  /** The beginning of a request that may still keep the processor busy. */
  let beginning: { key: string; startMs: number } | undefined
  let lastKey: string | undefined
  let sharedUntilMs = 0

  const recordKey = (key: string, nowMs: number) => {
    if (lastKey !== undefined && key !== lastKey) sharedUntilMs = nowMs + ACTIVE_MS
    lastKey = key
  }
  /** After a large request, its key pauses. */
  const pauseLargeKey = (nowMs: number) => {
    if (!beginning) return
    const { key, startMs } = beginning
    const busyMs = nowMs - startMs
    if (busyMs > LARGE_MS && nowMs < sharedUntilMs) pauses.set(key, nowMs + busyMs)
    beginning = undefined
  }
  const endTurn = () => {
    const nowMs = clock()
    pauseLargeKey(nowMs)
    for (const [key, untilMs] of pauses) if (untilMs <= nowMs) pauses.delete(key)
    turnStartMs = undefined
    if (waiting.size > 0) startNext(nowMs)
  }
  const startNext = (nowMs: number) => {
    turnStartMs ??= nowMs
    const isOver = nowMs - turnStartMs > TURN_MS
    const next = isOver ? undefined : [...waiting].find(([key]) => !pauses.has(key))
    if (!next) {
      // Without this pause, the event loop would spin while all keys pause.
      if (isOver || waiting.size === 0) setImmediate(endTurn)
      else setTimeout(endTurn, 1)
      return
    }
    const [key, requests] = next
    const request = requests.shift()
    // The next request is that of another key.
    waiting.delete(key)
    if (requests.length > 0) waiting.set(key, requests)
    beginning = { key, startMs: nowMs }
    if (request && nowMs - request.sinceMs > TURN_TIMEOUT_MS) request.refuse(new TurnTimeout(TURN_TIMEOUT_MS))
    else request?.begin()
    // Node runs the tick after the beginning of the request.
    queueMicrotask(() =>
      process.nextTick(() => {
        const endMs = clock()
        pauseLargeKey(endMs)
        startNext(endMs)
      }),
    )
  }

  return (key) => {
    const nowMs = clock()
    pauseLargeKey(nowMs)
    recordKey(key, nowMs)
    if (turnStartMs === undefined) {
      turnStartMs = nowMs
      setImmediate(endTurn)
    }
    if (waiting.size === 0 && nowMs - turnStartMs < TURN_MS && !pauses.has(key)) {
      beginning = { key, startMs: nowMs }
      return undefined
    }
    return new Promise((begin, refuse) => {
      const requests = waiting.get(key)
      const request = { sinceMs: nowMs, begin, refuse }
      if (requests) requests.push(request)
      else waiting.set(key, [request])
    })
  }
}
