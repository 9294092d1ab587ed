import { checkPublicKey } from '../auth/public-key.ts'
import { pingRedis } from '../auth/rate-limit.ts'
import { type Config, type DatabaseConfig, readConfig } from '../config/config.ts'
import { databaseExists } from '../database/database.ts'
import { type AdviceTable, adviceOn, type Finding } from '../database/finding.ts'
import { checkHealth } from '../database/health-checks.ts'
import { findPrimaryPosition } from '../database/log-position.ts'
import { checkReplicas } from '../database/replica-checks.ts'
import { findReadableByOthers } from '../embedded/private-files.ts'
import { messageOf } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { findSamples } from '../sample/find.ts'
import { CatalogCommand } from './command.ts'
import { withOpenDatabase } from './database.ts'
import { type Coloured, printLine } from './print.ts'

export const doctorCommand = new CatalogCommand('doctor').example('npx catalog doctor').printing({
  run: async () => {
    const findings = await attempt('configuration', examine)
    if (findings.some(({ isOk }) => !isOk)) process.exitCode = 1
    return findings
  },
  print: (findings) => findings.forEach(printFinding),
})

async function examine(): Promise<Finding[]> {
  const config = readConfig(process.env)
  const { database, limits, replicaUrls } = config
  const place = database.kind === 'embedded' ? `embedded database in ${database.dataDir}` : 'PostgreSQL at DATABASE_URL'
  return [
    { check: 'configuration', isOk: true, found: place },
    ...(await attempt('database', () => examineDatabase(config))),
    ...(await attempt('replica', () => examineReplicas(replicaUrls))),
    ...(await attempt('redis', () => examineRedis(limits.redisUrl))),
  ]
}

async function examineDatabase({ database: config, publicKey, workers }: Config): Promise<Finding[]> {
  const check = 'database'
  if (!databaseExists(config)) {
    return [{ check, isOk: false, found: 'does not exist yet', advice: 'run npx catalog serve, which creates it' }]
  }
  return withOpenDatabase(async ({ prisma, withSession }) => {
    const findings = [
      { check, isOk: true, found: 'answers' },
      ...(await examineFiles(config)),
      ...(await withSession((session) => checkHealth(session, { connections: connectionsOf(config, workers) }))),
      ...(await attempt('public key', () => examinePublicKey(prisma, publicKey))),
    ]
    return findings.every(({ isOk }) => isOk) ? [...findings, ...(await examineSamples(prisma))] : findings
  })
}

/** If the primary is away, the replicas are checked without its position. */
async function examineReplicas(urls: readonly string[]): Promise<Finding[]> {
  if (urls.length === 0) return []
  const position = withOpenDatabase(({ withSession }) => withSession(findPrimaryPosition)).catch(() => undefined)
  return checkReplicas(urls, await position)
}

/** A gateway's pool, two more for each worker, and two of its primary process. The embedded database has one connection for all. */
function connectionsOf({ kind, poolSize }: DatabaseConfig, workers: number): number {
  return kind === 'postgres' ? poolSize + 2 * workers + 2 : 0
}

async function examineRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return []
  await pingRedis(url)
  return [{ check: 'redis', isOk: true, found: 'answers' }]
}

/** A new start of the gateway makes the files private too, unless they belong to another user. */
async function examineFiles(config: DatabaseConfig): Promise<Finding[]> {
  if (config.kind === 'postgres' || config.dataDir === 'memory://') return []
  const paths = await findReadableByOthers(config.dataDir)
  if (paths.length === 0) return [{ check: 'files', isOk: true, found: 'only their owner can read them' }]
  const found = `other users of this machine can read ${paths.join(', ')}`
  return [{ check: 'files', isOk: false, found, advice: `run chmod -R go= ${paths.join(' ')}` }]
}

async function examinePublicKey(prisma: PrismaClient, publicKey: string | undefined): Promise<Finding[]> {
  if (publicKey === undefined) return []
  const warning = await checkPublicKey(prisma, publicKey)
  const found = warning ?? 'may access only what every key may access'
  return [{ check: 'public key', isOk: warning === undefined, found }]
}

/** Samples are no fault, but a catalog for partners should not show them. */
async function examineSamples(prisma: PrismaClient): Promise<Finding[]> {
  const samples = await findSamples(prisma)
  const visible = samples.filter(({ isVisible }) => isVisible).map(({ slug }) => slug)
  if (visible.length === 0) return []
  const advice = 'to remove them, run npx catalog datasets remove --samples'
  return [{ check: 'samples', isOk: true, found: `visible: ${visible.join(', ')}`, advice }]
}

/** Returns the findings of a check; one if it fails. */
async function attempt(check: keyof typeof ADVICE, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [{ check, isOk: false, found: messageOf(error), advice: adviceOn(error, FULL_DISK) ?? ADVICE[check] }]
  }
}

/** SQLSTATE `disk_full`: then the address is right. */
const FULL_DISK: AdviceTable = [[/^53100$/, 'free space on the disk of the database; nothing was changed']]

const ADVICE = {
  configuration: 'the documentation lists all settings',
  database: 'check DATABASE_URL or DATA_DIR, and that the database runs',
  'public key': 'give PUBLIC_KEY another key: npx catalog keys create --name public',
  replica: 'check DATABASE_REPLICA_URLS',
  redis: 'check REDIS_URL; until Redis answers, each gateway counts requests separately',
}

function printFinding({ check, isOk, found, advice, sql }: Finding): void {
  const mark: Coloured = isOk ? { colour: 'green', text: 'ok  ' } : { colour: 'red', text: 'FAIL' }
  printLine(mark, `  ${check.padEnd(14)} ${found.replaceAll('\n', '; ')}`)
  const end = sql === undefined ? '' : ':'
  if (advice !== undefined) printLine(' '.repeat(21), { colour: 'yellow', text: `→ ${advice}${end}` })
  // From the start of the line, so that it can be copied.
  for (const line of sql?.split('\n') ?? []) printLine(line)
}
