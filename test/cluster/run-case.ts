import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../simulate/connection.ts'
import type { Case } from './cases.ts'
import { type Model, write } from './model.ts'
import type { Operator } from './operator.ts'
import { type Exchange, read, untilWarm } from './readers.ts'
import type { Stage } from './stage.ts'

/** What a case showed: numbers of responses and of writes, and times in seconds. */
export interface Result {
  right: number
  old: number
  lost: number
  otherStates: number
  otherStatuses: number
  refused: number
  cutOff: number
  writes: number
  lostWrites: number
  /** Imports, undos and backups, and how many of them failed. */
  commands: number
  failed: number
  /** The longest time without a leader that answers through HAProxy, */
  leaderless: number
  /** the longest time in which a gateway refused, */
  refusing: number
  /** and how much later it answered again than the leader. */
  added: number
  slowest: number
  /** A line for each wrong response. */
  faults: string[]
}

interface Running {
  stage: Stage
  model: Model
  operator: Operator
  key: string
  seed: string
}

const AROUND_MS = 3_000

/** Runs a case while readers and a writer work, until the cluster is healthy again. */
export async function runCase(happen: Case, { stage, model, operator, key, seed }: Running): Promise<Result> {
  await untilWarm(stage.gateways, key)
  let isOver = false
  const over = () => isOver
  const exchanges: Exchange[] = []
  const probes: Probe[] = []
  const before = model.counts
  const working = Promise.all([
    write(stage.leaderUrl, model, over),
    read({ gateways: stage.gateways, key, seed, isOver: over, add: (exchange) => exchanges.push(exchange) }),
    probe(stage.leaderUrl, over, probes),
    operator.work(over),
  ])
  try {
    await sleep(AROUND_MS)
    await happen(stage)
    await stage.untilHealthy()
    await sleep(AROUND_MS)
  } finally {
    isOver = true
    await working
  }
  const { faults, ...operations } = await operator.finish()
  const { written, lost } = model.counts
  const writes = { writes: written - before.written, lostWrites: lost - before.lost }
  const judged = judge(exchanges, model)
  const all = [...judged.faults, ...faults]
  return { ...judged, ...measure(exchanges, probes), ...writes, ...operations, faults: all }
}

/** Whether the leader answered through HAProxy. */
interface Probe {
  end: number
  isThere: boolean
}

async function probe(url: string, isOver: () => boolean, probes: Probe[]): Promise<void> {
  const config = { connectionString: url, connectionTimeoutMillis: 1_000, query_timeout: 1_000 }
  const asks = async () => {
    const connection = await Connection.open(config)
    try {
      return JSON.stringify(await connection.execute('SELECT pg_is_in_recovery() AS no')) === '[{"no":false}]'
    } finally {
      void connection.close().catch(() => {})
    }
  }
  while (!isOver()) {
    const isThere = await asks().catch(() => false)
    probes.push({ end: performance.now(), isThere })
    await sleep(100)
  }
}

function judge(exchanges: readonly Exchange[], model: Model) {
  const counts = { right: 0, old: 0, lost: 0, otherStates: 0, otherStatuses: 0, refused: 0, cutOff: 0 }
  const faults: string[] = []
  for (const exchange of exchanges) {
    const { status, gateway, door, body, marks } = exchange
    if (status === 503) counts.refused += 1
    else if (status === undefined) counts.cutOff += 1
    else if (status !== 200) {
      counts.otherStatuses += 1
      faults.push(`${status} of ${gateway} at ${door}: ${body.slice(0, 500)}`)
    } else {
      const fault = model.judge(exchange)
      if (!fault) counts.right += 1
      else if (fault === 'old' || fault === 'lost') counts[fault] += 1
      else counts.otherStates += 1
      if (fault) faults.push(`${fault} of ${gateway} at ${door}: ${marks}; ${model.describe(exchange)}`)
    }
  }
  return { ...counts, faults }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10

/** Finds the longest time without a leader, and the longest of each gateway without an answer. */
function measure(exchanges: readonly Exchange[], probes: readonly Probe[]) {
  const answered = probes.filter(({ isThere }) => isThere).map(({ end }) => end)
  const leaderless = longestGap(answered)
  const hasRefused = probes.some(({ isThere }) => !isThere)
  const gateways = [...new Set(exchanges.map(({ gateway }) => gateway))].map((name) => {
    const own = exchanges.filter(({ gateway }) => gateway === name)
    const gap = longestGap(own.filter(({ status }) => status === 200).map(({ end }) => end))
    const isRefused = own.some(({ status, end }) => status !== 200 && end > gap.from && end < gap.to)
    return isRefused ? { refusing: gap.to - gap.from, added: gap.to - leaderless.to } : { refusing: 0, added: 0 }
  })
  return {
    leaderless: hasRefused ? seconds(leaderless.to - leaderless.from) : 0,
    refusing: seconds(Math.max(...gateways.map(({ refusing }) => refusing))),
    added: seconds(Math.max(0, ...gateways.map(({ added }) => added))),
    slowest: seconds(Math.max(...exchanges.map(({ start, end }) => end - start))),
  }
}

function longestGap(times: number[]): { from: number; to: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).map((to, n) => ({ from: sorted[n] ?? to, to }))
  return gaps.reduce((longest, gap) => (gap.to - gap.from > longest.to - longest.from ? gap : longest), {
    from: 0,
    to: 0,
  })
}
