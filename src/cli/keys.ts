import { Command, InvalidArgumentError } from 'commander'
import { parseExpiry } from '../auth/expiry.ts'
import { createKey, grantDataset, type KeyRecord, listKeys, revokeKey, withdrawGrant } from '../auth/keys.ts'
import { withDatabase } from './database.ts'
import { printKeys } from './keys-table.ts'
import { printJson, printLine } from './print.ts'

const EXPIRES = ['--expires <when>', 'a duration such as 90d, or an ISO date'] as const
const DATASET = ['--dataset <slug>', 'the dataset'] as const
const JSON_OPTION = ['--json', 'print JSON'] as const

export function keysCommand(): Command {
  const keys = new Command('keys')
    .description('create, list and revoke API keys, and grant them access to datasets')
    .addHelpText('after', '\nExample:\n  npx catalog keys create --name app --dataset museums')

  keys
    .command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--dataset <slug>', 'grant access to a dataset (repeatable)', collect, [])
    .option('--tier <tier>', 'give the key an access tier (repeatable)', collect, [])
    .option(...EXPIRES)
    .option('--rate-limit <n>', 'requests per minute', parseRateLimit)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys create --name app --dataset museums --expires 90d')
    .action(create)

  keys
    .command('list')
    .description('list all keys with their ids and access; the keys themselves are not stored')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys list')
    .action(list)

  keys
    .command('revoke')
    .description('revoke a key; this can not be undone')
    .argument('<id>', 'id of the key', toLowerCase)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys revoke 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51')
    .action(revoke)

  keys
    .command('grant')
    .description('grant a key access to a dataset')
    .argument('<id>', 'id of the key', toLowerCase)
    .requiredOption(...DATASET)
    .option(...EXPIRES)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys grant 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51 --dataset museums')
    .action(grant)

  keys
    .command('ungrant')
    .description('remove a grant')
    .argument('<id>', 'id of the key', toLowerCase)
    .requiredOption(...DATASET)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nExample:\n  npx catalog keys ungrant 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51 --dataset museums',
    )
    .action(ungrant)

  return keys
}

interface CreateOptions {
  name: string
  dataset: string[]
  tier: string[]
  expires?: string
  rateLimit?: number
  json?: true
}

async function create({ name, dataset, tier, expires, rateLimit, json }: CreateOptions): Promise<void> {
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

async function list({ json }: { json?: true }): Promise<void> {
  const keys = await withDatabase(({ prisma }) => listKeys(prisma))
  if (json) printJson(keys)
  else printKeys(keys, new Date())
}

async function revoke(id: string, { json }: { json?: true }): Promise<void> {
  const { revokedAt } = await withDatabase(({ prisma }) => revokeKey(prisma, id))
  if (json) printJson({ id, revokedAt })
  else printLine(`Key ${id} is revoked`)
}

interface GrantOptions {
  dataset: string
  expires?: string
  json?: true
}

async function grant(keyId: string, { dataset, expires, json }: GrantOptions): Promise<void> {
  const expiresAt = expiry(expires)
  await withDatabase(({ prisma }) => grantDataset(prisma, { keyId, dataset, expiresAt }))
  if (json) printJson({ id: keyId, dataset, expiresAt })
  else printLine(`Key ${keyId} may access ${dataset}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`)
}

async function ungrant(keyId: string, { dataset, json }: GrantOptions): Promise<void> {
  await withDatabase(({ prisma }) => withdrawGrant(prisma, { keyId, dataset }))
  if (json) printJson({ id: keyId, dataset })
  else printLine(`Key ${keyId} has no longer a grant for ${dataset}`)
}

function expiry(text: string | undefined): Date | null {
  return text === undefined ? null : parseExpiry(text, new Date())
}

/** Accepts UUIDs in any letter case; the database stores them in lower case. */
function toLowerCase(id: string): string {
  return id.toLowerCase()
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

function parseRateLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
}
