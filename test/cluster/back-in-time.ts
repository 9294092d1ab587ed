import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { runCatalog, runProcess } from '../support/process.ts'
import { type Node, owner, until } from './node.ts'
import type { Stage } from './stage.ts'

/*
 * The commands of "A point in time" in docs/backups.md, with an import too many, a new key and a revoked key after the point.
 */

const PAGE = readFileSync(new URL('../../docs/backups.md', import.meta.url), 'utf8')
const [, section = ''] = /^## A point in time\n(.*?)^##/ms.exec(PAGE) ?? []
const [prepare = '', goBack = ''] = [...section.matchAll(/^```console\n(.*?)^```/gms)].map(([, commands = '']) =>
  commands.replaceAll(/^\$ /gm, ''),
)

/** Makes a base backup and names a point, changes the catalog, and goes back. @throws if something is not as it was */
export async function backInTime(stage: Stage): Promise<void> {
  const leader = await stage.leader()
  const others = stage.nodes.filter((node) => node !== leader)
  const catalog = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCatalog(stage.env, ...args)
    if (code !== 0) throw new Error(`catalog ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const createKey = async (name: string) => JSON.parse(await catalog('keys', 'create', '--json', '--name', name))
  const kept = await createKey('kept')
  await runAsPostgres(stage, leader, prepare)
  await catalog('keys', 'revoke', kept.id)
  const late = await createKey('late')
  await expectStatuses(stage, { [kept.key]: 401, [late.key]: 200 })
  await catalog('import', 'src/sample/seoul-landmarks.json')

  for (const node of others) await node.stop()
  await leader.stop()
  await runAsPostgres(stage, leader, goBack)
  leader.start()
  await until('the restored server leads', async () => (await stage.leader()) === leader)
  for (const node of others) {
    await rm(node.data, { recursive: true })
    node.start()
  }
  await stage.untilHealthy()
  const datasets = await catalog('datasets', 'list')
  if (datasets.includes('seoul-landmarks')) throw new Error('The import is still there')
  await expectStatuses(stage, { [kept.key]: 200, [late.key]: 401 })
  await catalog('doctor')
}

/** Asks both gateways with each key. @throws if a status is another */
async function expectStatuses({ gateways }: Stage, wanted: Record<string, number>): Promise<void> {
  for (const { name, url } of gateways) {
    for (const [key, status] of Object.entries(wanted)) {
      const { status: found } = await fetch(`${url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })
      if (found !== status) throw new Error(`${name} gives ${found} in place of ${status}`)
    }
  }
}

/** Runs a script of the page with the addresses and folders of the stage. */
async function runAsPostgres({ folder, network }: Stage, { data, file }: Node, script: string): Promise<void> {
  const placed = script
    .replaceAll('10.0.0.', network)
    .replaceAll('/mnt/wal', `${folder}/wal`)
    .replaceAll('/var/lib/postgresql/15/catalog', data)
    .replace('patronictl', `printf 'catalog\\nYes I am aware\\n' | patronictl`)
    .replace('/etc/patroni/config.yml', file)
  const env = { PATH: process.env.PATH ?? '', HOME: folder, PGHOST: `${data}.socket` }
  const shell = ['bash', '-euo', 'pipefail', '-c', placed]
  const [program = '', ...args] = owner ? ['runuser', '-u', 'postgres', '--', ...shell] : shell
  const { code, stdout, stderr } = await runProcess(program, args, env)
  if (code === 0) return
  const log = await readFile(`${data}/recovery.log`, 'utf8').catch(() => 'There is no recovery.log')
  throw new Error(`${placed}\nended with ${code}: ${stdout}${stderr}\n${log}`)
}
