import { createKey, type KeyChanges, type KeyRecord, updateKey } from '../../auth/keys.ts'
import { readConfig } from '../../config/config.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { collect, collectOrigin, EXPIRES, ITEM_LIMIT, KEY, parseTime, RATE_LIMIT } from '../options.ts'
import { printLine, printNotice } from '../print.ts'
import { findGateway } from './address.ts'
import { limitOf } from './show.ts'

interface Options {
  name?: string
  tier?: string[]
  expires?: Date | 'never'
  rateLimit?: number | 'none'
  itemLimit?: number | 'none'
  origin?: string[]
}

export const createCommand = new CatalogCommand('create')
  .description('create a key and print it; it is not shown again')
  .requiredOption('--name <name>', 'what the key is for')
  .option('--dataset <slug>', 'grant access to a dataset (repeatable)', collect)
  .option('--tier <tier>', 'give the key an access tier (repeatable)', collect)
  .option(...EXPIRES)
  .option(...RATE_LIMIT)
  .option(...ITEM_LIMIT)
  .option('--origin <url>', 'allow only web pages of this origin (repeatable)', collectOrigin)
  .example('npx catalog keys create --name app --dataset museums --expires 90d')
  .printing({
    run: ({ dataset = [], name, ...options }: Options & { name: string; dataset?: string[] }) =>
      changeDatabase(async ({ prisma }) => {
        const key = await createKey(prisma, { ...changesOf(options), name, datasets: dataset })
        await warnOfUnusedTiers(prisma, key.accessTiers)
        await warnOfSameName(prisma, key)
        return key
      }),
    print: async (created) => {
      const grants = created.grants.map((grant) => grant.dataset).join(', ') || 'none'
      await printSecret(`Key ${created.id} for ${created.name}: ${describe(created)}, grants ${grants}`, created)
    },
    toJson: ({ grants, revokedAt: _, lastUsedAt: __, createdAt, expiresAt, ...created }) => {
      const { id, key, name, accessTiers, ...limits } = created
      const datasets = grants.map(({ dataset }) => dataset)
      return { id, key, name, accessTiers, datasets, expiresAt, ...limits, createdAt }
    },
  })

export const updateCommand = new CatalogCommand('update')
  .description('change the name, tiers, expiry, limits or origins of a key; its secret and grants stay')
  .argument(...KEY)
  .option('--name <name>', 'what the key is for')
  .option('--tier <tier>', 'the new access tiers, in place of all old ones (repeatable); "" removes all', collect)
  .option('--expires <when>', 'a duration from now such as 90d, an ISO date, or never', (text) =>
    text === 'never' ? text : parseTime(text),
  )
  .option(...RATE_LIMIT)
  .option(...ITEM_LIMIT)
  .option('--origin <url>', 'the new origins, in place of all old ones (repeatable); "" removes all', collectOrigin)
  .example('npx catalog keys update app --expires 90d')
  .printing({
    run: async (id: string, { tier, ...options }: Options) => {
      const tiers = tier?.filter((each) => each !== '')
      const changes = changesOf({ ...options, ...(tiers && { tier: tiers }) })
      updateCommand.requireChange(changes)
      return changeDatabase(async ({ prisma }) => {
        const updated = await updateKey(prisma, id, changes)
        await warnOfUnusedTiers(prisma, tiers ?? [])
        if (options.name !== undefined) await warnOfSameName(prisma, updated)
        return updated
      })
    },
    print: (key) => printLine(`Key ${key.id} for ${key.name}: ${describe(key)}`),
  })

/** The properties of a key in one line. */
function describe(key: KeyRecord): string {
  const { accessTiers, expiresAt, origins } = key
  const only = origins.length > 0 ? `, only for ${origins.join(', ')}` : ''
  const expires = expiresAt?.toISOString() ?? 'never'
  return `tiers ${accessTiers.join(', ') || 'none'}, expires ${expires}, limit ${limitOf(key)}${only}`
}

interface Secret extends Pick<KeyRecord, 'id' | 'origins' | 'grants'> {
  key: string
}

/**
 * Prints a new secret last, where scripts read it, and for a person before it how to try it. The link opens the dataset of a key with one
 * grant. A key with origins works only in their pages, for example in a frame (docs/embed.md).
 */
export async function printSecret(about: string, created: Secret): Promise<void> {
  if (process.stdout.isTTY) await printTrial(created)
  printLine(`${about}. It is not shown again:`)
  printLine(created.key)
}

async function printTrial({ id, key, origins, grants }: Secret): Promise<void> {
  const found = await findGateway()
  if (found === undefined) printLine('No gateway answers here; the links begin with the address of yours')
  const url = found ?? `https://GATEWAY${readConfig(process.env).basePath}`
  const [grant, ...others] = grants
  const view = grant && others.length === 0 ? `?dataset=${encodeURIComponent(grant.dataset)}` : ''
  if (origins.length > 0) {
    printLine(`In a page: <iframe src="${url}/embed/${id}${view}#key=${key}" width="100%" height="450"></iframe>`)
    return
  }
  printLine(`Explore with the new key: ${url}/${view}#key=${key}`)
  printLine(`Try: curl -H 'Authorization: Bearer ${key}' '${url}/v1/datasets'`)
}

function changesOf({ name, tier, expires, rateLimit, itemLimit, origin }: Options): KeyChanges {
  return {
    ...(name !== undefined && { name }),
    ...(tier && { accessTiers: tier }),
    ...(expires && { expiresAt: orNull(expires) }),
    ...(rateLimit && { requestsPerMinute: orNull(rateLimit) }),
    ...(itemLimit && { itemsPerMinute: orNull(itemLimit) }),
    ...(origin && { origins: origin }),
  }
}

/** The value of an option as the database has it. Commander would turn null into an empty text, so options have these words. */
function orNull<Value>(value: Value | 'never' | 'none'): Value | null {
  return value === 'never' || value === 'none' ? null : value
}

/** Warns on stderr if another key has the name of a key: then no command finds either by it. */
async function warnOfSameName(prisma: PrismaClient, { id, name }: KeyRecord): Promise<void> {
  const others = await prisma.apiKey.count({ where: { name, revokedAt: null, id: { not: id } } })
  if (others > 0) printNotice(`warning: another key has the name ${name} too, so commands need the id of the key`)
}

/** Warns on stderr of each tier that no dataset has, for example because of a typing error: it opens nothing. */
async function warnOfUnusedTiers(prisma: PrismaClient, tiers: readonly string[]): Promise<void> {
  if (tiers.length === 0) return
  const datasets = await prisma.dataset.findMany({
    where: { accessTier: { not: null } },
    distinct: ['accessTier'],
    orderBy: { accessTier: 'asc' },
  })
  const existing = datasets.map(({ accessTier }) => accessTier)
  const others = existing.length === 0 ? 'no dataset has a tier' : `there are ${existing.join(', ')}`
  for (const tier of tiers.filter((each) => !existing.includes(each)))
    printNotice(`warning: no dataset has the tier ${tier}; ${others}`)
}
