import { cpuMs, type Server } from './processes.ts'
import { type LoadRequest, load } from './wrk.ts'

/** A server and the requests that it gets in turn. */
export interface Side {
  server: Server
  requests: readonly LoadRequest[]
}

/** The medians of two sides, and the median of the ratio `ours / other` over all rounds. */
export interface Compared {
  ours: number
  other: number
  ratio: number
}

/** Requests before the measurement. V8 still compiles during the first 1,800 of a heavy door, for 530 µs each. */
const WARM_REQUESTS = 12_000
/** Windows of one second of each side in a round. */
const WINDOWS = 3

/** Responses per second, and microseconds of processor time of the server for one. */
export interface ComparedLoads {
  rate: Compared
  processor: Compared
}

/**
 * Compares two servers under load. The sides take turns, in every other round in the opposite order. Of the processor time it compares the tenth
 * percentile of all windows: other work of the machine adds to it, and nothing takes from it. A rate depends on that work too.
 */
export async function compareLoads(ours: Side, other: Side, rounds: number): Promise<ComparedLoads> {
  for (const side of [ours, other]) await warm(side)
  const windows = new Map<Side, Window[]>([ours, other].map((side) => [side, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? [other, ours] : [ours, other]) {
      for (let n = 0; n < WINDOWS; n += 1) windows.get(side)?.push(await measureWindow(side))
    }
  }
  const [first = [], second = []] = windows.values()
  const lowest = (side: readonly Window[]) =>
    percentile(
      side.map(({ processorUs }) => processorUs),
      0.1,
    )
  const processor = { ours: lowest(first), other: lowest(second), ratio: lowest(first) / lowest(second) }
  return { rate: compare(first.map(({ rate }, n) => [rate, second[n]?.rate ?? Number.NaN])), processor }
}

async function warm({ server: { url }, requests }: Side): Promise<void> {
  for (let sent = 0; sent < WARM_REQUESTS; ) sent += await load(url, requests, 1)
}

interface Window {
  rate: number
  processorUs: number
}

async function measureWindow({ server: { url, pid }, requests }: Side): Promise<Window> {
  const before = await cpuMs(pid)
  const rate = await load(url, requests, 1)
  return { rate, processorUs: (1_000 * ((await cpuMs(pid)) - before)) / rate }
}

/** Compares milliseconds for one response. Requests come one after the other, and the sides take turns. */
export async function compareTimes(
  ours: () => Promise<unknown>,
  other: () => Promise<unknown>,
  turns: number,
): Promise<Compared> {
  const times: [number, number][] = []
  // The first turns warm up caches and plans.
  for (let turn = -6; turn < turns; turn += 1) {
    const pair: [number, number] = [await timeOf(ours), await timeOf(other)]
    if (turn >= 0) times.push(pair)
  }
  const { ours: first, other: second } = compare(times)
  return { ours: first, other: second, ratio: first / second }
}

/** The time of a request, in milliseconds. */
export async function timeOf(ask: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await ask()
  return performance.now() - start
}

function compare(pairs: readonly [number, number][]): Compared {
  return {
    ours: median(pairs.map(([a]) => a)),
    other: median(pairs.map(([, b]) => b)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  }
}

/** The middle value, or the mean of the two middle values; NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [low = Number.NaN, high = low] = sorted.slice(
    Math.ceil(sorted.length / 2) - 1,
    Math.floor(sorted.length / 2) + 1,
  )
  return (low + high) / 2
}

/** The value below which a share of the values is, from 0 to 1; NaN for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
