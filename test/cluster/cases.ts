import { setTimeout as sleep } from 'node:timers/promises'
import { backInTime } from './back-in-time.ts'
import { type Node, until } from './node.ts'
import type { Stage } from './stage.ts'

/** What happens to the cluster. It ends when the fault is over; the cluster may need longer to recover. */
export type Case = (stage: Stage) => Promise<void>

/** How long a fault lasts that ends by itself. */
const MINUTE_MS = 60_000
/** How long two servers live that both were leaders. */
const BOTH_MS = 5_000

async function replicaOf(stage: Stage): Promise<Node> {
  const leader = await stage.leader()
  const replica = stage.nodes.find((node) => node !== leader)
  if (!replica) throw new Error('There is no replica')
  return replica
}

/** Waits until another node leads, and only that one. */
async function untilOtherLeads(stage: Stage, node: Node): Promise<void> {
  await until('another node leads', async () => (await stage.leader()) !== node)
}

/** Lets a replica suffer for some time. */
const withReplica = (ms: number, begin: (replica: Node) => unknown, end: (replica: Node) => unknown): Case => {
  return async (stage) => {
    const replica = await replicaOf(stage)
    await begin(replica)
    await sleep(ms)
    await end(replica)
  }
}

const cut = ({ links }: Node) => {
  for (const link of Object.values(links)) link.cut()
}
const heal = ({ links }: Node) => {
  for (const link of Object.values(links)) link.heal()
}

/** The cases by their names. */
export const CASES: Readonly<Record<string, Case>> = {
  switchover: async (stage) => {
    const leader = await stage.leader()
    // Patroni refuses while no replica is synchronous yet.
    await until('another node leads', async () => {
      if ((await stage.leader()) !== leader) return true
      await leader.ask('POST', '/switchover', { leader: leader.name })
      return false
    })
  },
  'killed leader, which comes back': async (stage) => {
    const leader = await stage.leader()
    leader.signal('SIGKILL')
    await untilOtherLeads(stage, leader)
    leader.start()
  },
  'killed PostgreSQL of the leader': async (stage) => {
    const leader = await stage.leader()
    leader.killPostgres()
    await sleep(1_000)
  },
  'frozen leader, which goes on': async (stage) => {
    const leader = await stage.leader()
    leader.signal('SIGSTOP')
    await untilOtherLeads(stage, leader)
    await sleep(BOTH_MS)
    leader.signal('SIGCONT')
  },
  'killed Patroni of the leader': async (stage) => {
    const leader = await stage.leader()
    leader.killPatroni()
    await untilOtherLeads(stage, leader)
    await sleep(BOTH_MS)
    leader.start()
  },
  'etcd away for a minute': async (stage) => {
    stage.signal('etcd', 'SIGKILL')
    await sleep(MINUTE_MS)
    stage.startEtcd()
  },
  'leader cut off': async (stage) => {
    const leader = await stage.leader()
    // The links hold only what reaches the leader. By this it would reach the others.
    await leader.ask('PATCH', '/config', { failsafe_mode: false })
    await sleep(BOTH_MS)
    cut(leader)
    await untilOtherLeads(stage, leader)
    await sleep(BOTH_MS)
    heal(leader)
    await (await stage.leader()).ask('PATCH', '/config', { failsafe_mode: true })
  },
  'leader cut off from etcd': async (stage) => {
    const leader = await stage.leader()
    leader.links.etcd.cut()
    await sleep(MINUTE_MS)
    leader.links.etcd.heal()
  },
  'replica a minute late': withReplica(
    MINUTE_MS,
    (replica) => replica.query('SELECT pg_wal_replay_pause()'),
    (replica) => replica.query('SELECT pg_wal_replay_resume()'),
  ),
  'replica rebuilt': async (stage) => {
    const replica = await replicaOf(stage)
    await replica.ask('POST', '/reinitialize', { force: true })
    await sleep(5_000)
  },
  'replica ten times as slow': withReplica(
    MINUTE_MS / 2,
    ({ links }) => links.postgres.setDelay(20),
    ({ links }) => links.postgres.setDelay(0),
  ),
  'replica cut off': withReplica(MINUTE_MS / 2, cut, heal),
  'gateway frozen, which goes on': async ({ gateways: [gateway] }) => {
    gateway?.signal('SIGSTOP')
    await sleep(BOTH_MS)
    gateway?.signal('SIGCONT')
  },
  'Redis killed, which comes back': async (stage) => {
    stage.signal('redis', 'SIGKILL')
    await sleep(BOTH_MS)
    stage.startRedis()
  },
  'Redis frozen, which goes on': async (stage) => {
    stage.signal('redis', 'SIGSTOP')
    await sleep(BOTH_MS)
    stage.signal('redis', 'SIGCONT')
  },
  'back in time': backInTime,
}
