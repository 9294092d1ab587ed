import { Command, InvalidArgumentError } from 'commander'
import { createKey, type KeyRecord } from '../../auth/keys.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine } from '../print.ts'
import { EXPIRES, expiry, JSON_OPTION } from './options.ts'

export function createCommand(): Command {
  return new Command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--dataset <slug>', 'grant access to a dataset (repeatable)', collect)
    .option('--tier <tier>', 'give the key an access tier (repeatable)', collect)
    .option(...EXPIRES)
    .option('--rate-limit <n>', 'requests per minute', parseRateLimit)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys create --name app --dataset museums --expires 90d')
    .action(create)
}

interface CreateOptions {
  name: string
  dataset?: string[]
  tier?: string[]
  expires?: string
  rateLimit?: number
  json?: true
}

async function create({ name, dataset = [], tier = [], expires, rateLimit, json }: CreateOptions): Promise<void> {
  const newKey = {
    name,
    datasets: dataset,
    accessTiers: tier,
    expiresAt: expiry(expires),
    requestsPerMinute: rateLimit ?? null,
  }
  const created = await withDatabase(({ prisma }) => createKey(prisma, newKey))
  if (json) printJson(createdKey(created))
  else {
    printLine(`Key ${created.id} for ${created.name}. It is not shown again:`)
    printLine(created.key)
  }
}

function createdKey({ id, key, name, accessTiers, grants, ...record }: KeyRecord & { key: string }) {
  const datasets = grants.map(({ dataset }) => dataset)
  const { expiresAt, requestsPerMinute, createdAt } = record
  return { id, key, name, accessTiers, datasets, expiresAt, requestsPerMinute, createdAt }
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function parseRateLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
}
