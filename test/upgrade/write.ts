// Writes what a release leaves on the disk, and what it answers, into test/upgrade/NAME. Run it in a checkout of the release:
// node test/upgrade/write.ts NAME, with TEST_DATABASE_URL and PostgreSQL's pg_dump.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import pg from 'pg'
import { CHECKOUT, runCatalog, startGateway } from '../support/process.ts'
import { type Answers, askAll, jsonCommands } from './answers.ts'

const [name = ''] = process.argv.slice(2)
const target = join(CHECKOUT, 'test/upgrade', name)
const SAMPLE = join(CHECKOUT, 'src/sample')

type Env = Record<string, string>

const folder = await mkdtemp(join(tmpdir(), 'catalog-release-'))
await mkdir(target, { recursive: true })
try {
  await writeEmbedded()
  await writeDump(process.env.TEST_DATABASE_URL ?? '')
} finally {
  await rm(folder, { recursive: true })
}

async function writeEmbedded(): Promise<void> {
  const dataDir = join(folder, 'data')
  const answers = await fill({ DATA_DIR: dataDir })
  const tar = execFileSync('tar', ['-C', dataDir, '--sort=name', '-cf', '-', 'postgres'], { maxBuffer: 1e9 })
  await write('embedded', 'data.tar', tar, answers)
}

async function writeDump(url: string): Promise<void> {
  const database = `catalog_release_${randomUUID().slice(0, 8)}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${database}`)
  try {
    const DATABASE_URL = Object.assign(new URL(url), { pathname: database }).href
    const answers = await fill({ DATABASE_URL })
    // Statements without the data of COPY can be sent by any client.
    const dump = execFileSync('pg_dump', ['--inserts', '--no-owner', DATABASE_URL], { maxBuffer: 1e9 })
    await write('postgres', 'dump.sql', dump, answers)
  } finally {
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`)
    await admin.end()
  }
}

async function write(kind: string, file: string, content: Buffer, answers: Answers): Promise<void> {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24 }
  await writeFile(join(target, `${file}.br`), brotliCompressSync(content, { params }))
  await writeFile(join(target, `${kind}.json.br`), brotliCompressSync(JSON.stringify(answers)))
}

/** Makes a catalog with a history and keys of each kind. */
async function fill(database: Env): Promise<Answers> {
  const env = { SAMPLE_DATA: 'false', UNDO_DAYS: '36500', ...database }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCatalog(env, ...args)
    if (code !== 0) throw new Error(`catalog ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const createKey = async (...args: string[]): Promise<string> =>
    JSON.parse(await run('keys', 'create', '--json', '--name', ...args)).key

  await run('migrate')
  const slugs = ['korea-heritage', 'seoul-landmarks', 'seoul-markets', 'seoul-parks-draft', 'world-airports']
  await run('import', ...slugs.map((slug) => `src/sample/${slug}.json`))
  await run('import', await changedLandmarks(), '--allow-removals')
  await run('datasets', 'update', 'seoul-landmarks', '--description', 'After the third change')
  const grants = ['--dataset', 'korea-heritage', '--dataset', 'seoul-parks-draft']
  const old = await createKey('partner', ...grants, '--expires', '2999-01-01')
  const { key: partner } = JSON.parse(await run('keys', 'rotate', 'partner', '--grace', '36000d', '--json'))
  const gold = await createKey('gold', '--tier', 'gold', '--rate-limit', '100000', '--item-limit', '9000000')
  const page = await createKey('page', '--origin', 'https://maps.example')
  const revoked = await createKey('revoked')
  await run('keys', 'revoke', 'revoked')
  await run('datasets', 'remove', 'seoul-parks-draft', '--yes')

  const keys = { partner, old, gold, page, revoked }
  const gateway = await startGateway(env)
  const answers = await askAll(gateway.url, keys)
  await gateway.stop()
  const commands: Answers['commands'] = {}
  for (const command of jsonCommands) {
    const output = await run(...command.split(' '))
    commands[command] = JSON.parse(`[${output.trim().replaceAll('\n', ',')}]`)
  }
  return { keys, answers, commands }
}

/** The manifest of the landmarks with one item less, and one that has another name. */
async function changedLandmarks(): Promise<string> {
  const path = join(folder, 'seoul-landmarks.json')
  await writeFile(path, await readFile(join(SAMPLE, 'seoul-landmarks.json')))
  const [first = '', ...others] = (await readFile(join(SAMPLE, 'seoul-landmarks.ndjson'), 'utf8')).trim().split('\n')
  const changed = [first.replace('Gyeongbokgung Palace', 'Gyeongbokgung'), ...others.slice(0, -1)]
  await writeFile(join(folder, 'seoul-landmarks.ndjson'), `${changed.join('\n')}\n`)
  return path
}
