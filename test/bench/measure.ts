import { type LoadRequest, load } from './wrk.ts'

/** A server and the requests that it gets in turn. */
export interface Side {
  url: string
  requests: readonly LoadRequest[]
}

/** The medians of two sides, and the median of the ratio `ours / other` over all rounds. */
export interface Compared {
  ours: number
  other: number
  ratio: number
}

const SECONDS = 3

/** Compares responses per second under load. The sides take turns. */
export async function compareRates(ours: Side, other: Side, rounds: number): Promise<Compared> {
  for (const { url, requests } of [ours, other]) await load(url, requests, 2)
  const rates: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const theirs = await load(other.url, other.requests, SECONDS)
    rates.push([await load(ours.url, ours.requests, SECONDS), theirs])
  }
  return compare(rates)
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
