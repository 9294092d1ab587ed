import { createKey, type KeyRecord } from '../../auth/keys.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import {
  collect,
  collectOrigin,
  EXPIRES,
  expiry,
  ITEM_LIMIT,
  type Limit,
  ORIGIN_FLAG,
  parseLimit,
  RATE_LIMIT,
  storedLimit,
} from './options.ts'
import { warnOfUnusedTiers } from './unused-tiers.ts'

export const createCommand = new CatalogCommand('create')
  .description('create a key and print it; it is not shown again')
  .requiredOption('--name <name>', 'what the key is for')
  .option('--dataset <slug>', 'grant access to a dataset (repeatable)', collect)
  .option('--tier <tier>', 'give the key an access tier (repeatable)', collect)
  .option(...EXPIRES)
  .option(...RATE_LIMIT, parseLimit)
  .option(...ITEM_LIMIT, parseLimit)
  .option(ORIGIN_FLAG, 'only for requests of web pages with this origin (repeatable)', collectOrigin)
  .example('npx catalog keys create --name app --dataset museums --expires 90d')
  .printing({
    run: create,
    print: ({ id, name, key }) => {
      printLine(`Key ${id} for ${name}. It is not shown again:`)
      printLine(key)
    },
    toJson: createdKey,
  })

interface CreateOptions {
  name: string
  dataset?: string[]
  tier?: string[]
  expires?: string
  rateLimit?: Limit
  itemLimit?: Limit
  origin?: string[]
}

async function create(options: CreateOptions) {
  const { name, dataset = [], tier = [], expires, rateLimit = 'none', itemLimit = 'none', origin = [] } = options
  const newKey = {
    name,
    datasets: dataset,
    accessTiers: tier,
    expiresAt: expiry(expires),
    requestsPerMinute: storedLimit(rateLimit),
    itemsPerMinute: storedLimit(itemLimit),
    origins: origin,
  }
  return changeDatabase(async ({ prisma }) => {
    const key = await createKey(prisma, newKey)
    await warnOfUnusedTiers(prisma, tier)
    return key
  })
}

function createdKey({ id, key, name, accessTiers, grants, ...record }: KeyRecord & { key: string }) {
  const datasets = grants.map(({ dataset }) => dataset)
  const { expiresAt, requestsPerMinute, itemsPerMinute, origins, createdAt } = record
  return { id, key, name, accessTiers, datasets, expiresAt, requestsPerMinute, itemsPerMinute, origins, createdAt }
}
