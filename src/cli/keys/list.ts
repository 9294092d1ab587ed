import { type KeyRecord, listKeys, showKey } from '../../auth/keys.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import { limitOf, printKeys, stateOf } from './keys-table.ts'
import { KEY } from './options.ts'

export const listCommand = new CatalogCommand('list')
  .description('list all keys with their ids and access, but not their secrets, which are not stored')
  .addHelpText('after', '\nA valid key may also access the public datasets that are active or archived.')
  .example('npx catalog keys list')
  .printing({
    run: () => withDatabase(({ prisma }) => listKeys(prisma)),
    print: (keys) => printKeys(keys, new Date()),
  })

export const showCommand = new CatalogCommand('show')
  .description('show one key with its grants, tiers, limit and old secrets that still work')
  .argument(...KEY)
  .example('npx catalog keys show app')
  .printing({
    run: (id: string) => withDatabase(({ prisma }) => showKey(prisma, id, new Date())),
    print: (key) => {
      for (const [label, value] of describeKey(key, new Date())) printLine(`${label.padEnd(16)}${value}`)
    },
  })

function describeKey(
  { previousSecrets, ...key }: KeyRecord & { previousSecrets: { expiresAt: Date }[] },
  now: Date,
): [string, string][] {
  const time = (date: Date | null) => date?.toISOString() ?? 'never'
  return [
    ['id', key.id],
    ['name', key.name],
    ['state', stateOf(key, now)],
    ['created', time(key.createdAt)],
    ['expires', time(key.expiresAt)],
    ['revoked', time(key.revokedAt)],
    ['last used', time(key.lastUsedAt)],
    ['limit', limitOf(key)],
    ['origins', key.origins.join(', ') || 'any'],
    ['tiers', key.accessTiers.join(', ') || 'none'],
    ...key.grants.map(({ dataset, expiresAt }): [string, string] => [
      'grant',
      `${dataset}${expiresAt ? ` until ${time(expiresAt)}` : ''}`,
    ]),
    ...previousSecrets.map(({ expiresAt }): [string, string] => ['old secret', `works until ${time(expiresAt)}`]),
  ]
}
