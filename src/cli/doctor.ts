import { checkPublicKey } from '../auth/public-key.ts'
import { pingRedis } from '../auth/rate-limit.ts'
import { type Config, type DatabaseConfig, readConfig } from '../config/config.ts'
import { type Database, databaseExists } from '../database/database.ts'
import { checkHealth, type Finding } from '../database/health-checks.ts'
import { findReadableByOthers } from '../embedded/private-files.ts'
import { messageOf } from '../errors/errors.ts'
import { findSamples } from '../sample/find.ts'
import { CatalogCommand } from './command.ts'
import { withOpenDatabase } from './database.ts'
import { type Coloured, printLine } from './print.ts'

export const doctorCommand = new CatalogCommand('doctor').example('npx catalog doctor').printing({
  run: async () => {
    const findings = await examine()
    if (findings.some(({ isOk }) => !isOk)) process.exitCode = 1
    return findings
  },
  print: (findings) => findings.forEach(printFinding),
})

async function examine(): Promise<Finding[]> {
  const config = await attempt('configuration', async () => readConfig(process.env))
  if ('finding' in config) return [config.finding]
  const findings = [
    { check: 'configuration', isOk: true, found: describeDatabase(config.value) },
    ...(await examineDatabase(config.value)),
  ]
  const { redisUrl } = config.value.limits
  if (redisUrl === undefined) return findings
  const redis = await attempt('redis', () => pingRedis(redisUrl))
  return [...findings, 'finding' in redis ? redis.finding : { check: 'redis', isOk: true, found: 'answers' }]
}

async function examineDatabase({ database: config, publicKey }: Config): Promise<Finding[]> {
  if (!databaseExists(config)) {
    return [
      {
        check: 'database',
        isOk: false,
        found: 'does not exist yet',
        advice: 'run npx catalog serve, which creates it',
      },
    ]
  }
  const examined = await attempt('database', () =>
    withOpenDatabase(async (database) => {
      const findings = [...(await examineFiles(config)), ...(await database.withSession(checkHealth))]
      if (publicKey !== undefined) findings.push(await examinePublicKey(database, publicKey))
      return findings.every(({ isOk }) => isOk) ? [...findings, ...(await examineSamples(database))] : findings
    }),
  )
  return 'finding' in examined
    ? [examined.finding]
    : [{ check: 'database', isOk: true, found: 'answers' }, ...examined.value]
}

/** A new start of the gateway makes the files private too, unless they belong to another user. */
async function examineFiles(config: DatabaseConfig): Promise<Finding[]> {
  if (config.kind === 'postgres' || config.dataDir === 'memory://') return []
  const paths = await findReadableByOthers(config.dataDir)
  if (paths.length === 0) return [{ check: 'files', isOk: true, found: 'only their owner can read them' }]
  const found = `other users of this machine can read ${paths.join(', ')}`
  return [{ check: 'files', isOk: false, found, advice: `run chmod -R go= ${paths.join(' ')}` }]
}

async function examinePublicKey({ prisma }: Database, publicKey: string): Promise<Finding> {
  const check = 'public key'
  const checked = await attempt(check, () => checkPublicKey(prisma, publicKey))
  if ('finding' in checked) return checked.finding
  const isOk = checked.value === undefined
  return { check, isOk, found: checked.value ?? 'may access only what every key may access' }
}

/** Samples are no fault, but a catalog for partners should not show them. */
async function examineSamples({ prisma }: Database): Promise<Finding[]> {
  const samples = await findSamples(prisma)
  const visible = samples.filter(({ isVisible }) => isVisible).map(({ slug }) => slug)
  if (visible.length === 0) return []
  const advice = 'to remove them, run npx catalog datasets remove --samples'
  return [{ check: 'samples', isOk: true, found: `visible: ${visible.join(', ')}`, advice }]
}

async function attempt<Value>(
  check: keyof typeof ADVICE,
  run: () => Promise<Value>,
): Promise<{ value: Value } | { finding: Finding }> {
  try {
    return { value: await run() }
  } catch (error) {
    return { finding: { check, isOk: false, found: messageOf(error), advice: ADVICE[check] } }
  }
}

const ADVICE = {
  configuration: 'the documentation lists all settings',
  database: 'check DATABASE_URL or DATA_DIR, and that the database runs',
  'public key': 'give PUBLIC_KEY another key: npx catalog keys create --name public',
  redis: 'check REDIS_URL; until Redis answers, each gateway counts requests separately',
}

function describeDatabase({ database }: Config): string {
  return database.kind === 'embedded' ? `embedded database in ${database.dataDir}` : 'PostgreSQL at DATABASE_URL'
}

function printFinding({ check, isOk, found, advice, sql }: Finding): void {
  const mark: Coloured = isOk ? { colour: 'green', text: 'ok  ' } : { colour: 'red', text: 'FAIL' }
  printLine(mark, `  ${check.padEnd(14)} ${found.replaceAll('\n', '; ')}`)
  const end = sql === undefined ? '' : ':'
  if (advice !== undefined) printLine(' '.repeat(21), { colour: 'yellow', text: `→ ${advice}${end}` })
  // From the start of the line, so that it can be copied.
  for (const line of sql?.split('\n') ?? []) printLine(line)
}
