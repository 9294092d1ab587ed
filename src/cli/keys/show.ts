import { type KeyRecord, listKeys, showKey } from '../../auth/keys.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { KEY } from '../options.ts'
import { printFacts, printNotice, printTable } from '../print.ts'

const PUBLIC = 'A valid key may also access the public datasets that are active or archived.'

export const listCommand = new CatalogCommand('list')
  .description('list all keys with their ids and access, but not their secrets, which are not stored')
  .addHelpText('after', `\n${PUBLIC}`)
  .example('npx catalog keys list')
  .printing({ run: () => withDatabase(({ prisma }) => listKeys(prisma)), print: printKeys })

export const showCommand = new CatalogCommand('show')
  .description('show one key with its grants, tiers, limit and old secrets that still work')
  .argument(...KEY)
  .example('npx catalog keys show app')
  .printing({ run: (id: string) => withDatabase(({ prisma }) => showKey(prisma, id, new Date())), print: printKey })

function printKeys(keys: readonly KeyRecord[]): void {
  printTable(
    ['ID', 'NAME', 'STATE', 'EXPIRES', 'LAST USED', 'LIMIT', 'ORIGINS', 'TIERS', 'DATASETS'],
    keys.map((key) => {
      const grants = key.grants.map(({ dataset, expiresAt }) => dataset + (isPast(expiresAt) ? ' (expired)' : ''))
      const lists = [key.origins, key.accessTiers, grants].map((list) => list.join(',') || '-')
      return [key.id, key.name, stateOf(key), textOf(key.expiresAt), textOf(key.lastUsedAt), limitOf(key), ...lists]
    }),
  )
  // On stderr, so that a script reads only the table.
  printNotice(PUBLIC)
}

function printKey({ previousSecrets, ...key }: Awaited<ReturnType<typeof showKey>>): void {
  printFacts(16, [
    ['id', key.id],
    ['name', key.name],
    ['state', stateOf(key)],
    ['created', textOf(key.createdAt)],
    ['expires', textOf(key.expiresAt)],
    ['revoked', textOf(key.revokedAt)],
    ['last used', textOf(key.lastUsedAt)],
    ['limit', limitOf(key)],
    ['origins', key.origins.join(', ') || 'any'],
    ['tiers', key.accessTiers.join(', ') || 'none'],
    ...key.grants.map((grant) => [
      'grant',
      grant.dataset + (grant.expiresAt ? ` until ${textOf(grant.expiresAt)}` : ''),
    ]),
    ...previousSecrets.map(({ expiresAt }) => ['old secret', `works until ${textOf(expiresAt)}`]),
  ])
}

/** Returns the limits of a key in words. */
export function limitOf({ requestsPerMinute, itemsPerMinute }: KeyRecord): string {
  const limits = [
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute}/min`]),
    ...(itemsPerMinute === null ? [] : [`${itemsPerMinute} items/min`]),
  ]
  return limits.join(', ') || 'none'
}

function stateOf({ revokedAt, expiresAt }: KeyRecord): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return isPast(expiresAt) ? 'expired' : 'active'
}

const isPast = (time: Date | null) => time !== null && time <= new Date()

const textOf = (time: Date | null) => time?.toISOString() ?? 'never'
