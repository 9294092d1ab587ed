import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/process.ts'
import { dataEngineer } from './data-engineer.ts'
import { developer } from './developer.ts'
import { frontEnd } from './front-end.ts'
import type { Person } from './person.ts'
import { shellEnv } from './shell.ts'
import { tasks } from './tasks.ts'
import { visitor } from './visitor.ts'

/*
 * The ways of four people and some tasks, in a shell and a browser, with their commands, clicks and seconds (person.ts). The commands are
 * those of README.md and docs/. It needs a browser and npm's registry:
 *
 *     npm run ways [-- developer visitor front-end data-engineer tasks]
 */

const wanted = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'catalog-ways-'))
const DATA_DIR = join(folder, 'data')
const port = await freePort()
const gateway = await startGateway({ DATA_DIR, PORT: String(port), SAMPLE_DATA: 'true' })
const key = /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? ''
const env = shellEnv(port, { DATA_DIR })
const browser = await launchBrowser()
const own = async (name: string) => {
  await mkdir(join(folder, name))
  return join(folder, name)
}
const WAYS: Readonly<Record<string, () => Promise<Person>>> = {
  developer: async () => developer(browser, await own('developer')),
  visitor: () => visitor(browser, gateway.url, key),
  'front-end': async () => frontEnd(browser, gateway.url, key, env, await own('front-end')),
  'data-engineer': async () => dataEngineer(gateway.url, env, await own('data-engineer')),
  tasks: () => tasks(browser, gateway.url, key),
}
try {
  for (const [name, take] of Object.entries(WAYS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    ;(await take()).print()
  }
} finally {
  await browser.close()
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write(`\nLoad of the machine: ${loadavg()[0]?.toFixed(1)}\n`)
