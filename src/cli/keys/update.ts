import { type KeyChanges, updateKey } from '../../auth/keys.ts'
import { operationFailed } from '../../errors/errors.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import { limitOf } from './keys-table.ts'
import {
  collect,
  collectOrigin,
  expiryOrNever,
  ITEM_LIMIT,
  KEY,
  type Limit,
  ORIGIN_FLAG,
  parseLimit,
  RATE_LIMIT,
  storedLimit,
} from './options.ts'
import { warnOfUnusedTiers } from './unused-tiers.ts'

export const updateCommand = new CatalogCommand('update')
  .description('change the name, tiers, expiry, limits or origins of a key; its secret and grants stay')
  .argument(...KEY)
  .option('--name <name>', 'what the key is for')
  .option('--tier <tier>', 'all access tiers of the key (repeatable); "" removes them', collect)
  .option('--expires <when>', 'a duration from now such as 90d, an ISO date, or never')
  .option(...RATE_LIMIT, parseLimit)
  .option(...ITEM_LIMIT, parseLimit)
  .option(ORIGIN_FLAG, 'all origins of the key (repeatable); "" removes them', collectOrigin)
  .example('npx catalog keys update app --expires 90d')
  .printing({ run: update, print: printUpdated })

interface Options {
  name?: string
  tier?: string[]
  expires?: string
  rateLimit?: Limit
  itemLimit?: Limit
  origin?: string[]
}

async function update(id: string, options: Options) {
  const changes = changesOf(options)
  if (Object.keys(changes).length === 0) {
    throw operationFailed(`Give at least one of ${updateCommand.changingOptions}`)
  }
  return changeDatabase(async ({ prisma }) => {
    const updated = await updateKey(prisma, id, changes)
    await warnOfUnusedTiers(prisma, changes.accessTiers ?? [])
    return updated
  })
}

function printUpdated(key: Awaited<ReturnType<typeof updateKey>>): void {
  const { name, accessTiers, expiresAt, origins } = key
  const tiers = accessTiers.join(', ') || 'none'
  const only = origins.length > 0 ? `, only for ${origins.join(', ')}` : ''
  printLine(
    `Key ${key.id}: name ${name}, tiers ${tiers}, expires ${expiresAt?.toISOString() ?? 'never'}, limit ${limitOf(key)}${only}`,
  )
}

function changesOf({ name, tier, expires, rateLimit, itemLimit, origin }: Options): KeyChanges {
  return {
    ...(name !== undefined && { name }),
    ...(tier !== undefined && { accessTiers: tier.filter((each) => each !== '') }),
    ...(expires !== undefined && { expiresAt: expiryOrNever(expires) }),
    ...(rateLimit !== undefined && { requestsPerMinute: storedLimit(rateLimit) }),
    ...(itemLimit !== undefined && { itemsPerMinute: storedLimit(itemLimit) }),
    ...(origin !== undefined && { origins: origin }),
  }
}
