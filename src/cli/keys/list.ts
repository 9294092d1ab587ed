import { Command } from 'commander'
import { type KeyRecord, listKeys, showKey } from '../../auth/keys.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine } from '../print.ts'
import { limitOf, printKeys, stateOf } from './keys-table.ts'
import { JSON_OPTION, KEY } from './options.ts'

interface Options {
  json?: true
}

export function listCommand(): Command {
  return new Command('list')
    .description('list all keys with their ids and access, but not their secrets, which are not stored')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nA valid key may also access the public datasets that are active or archived.\n\nExample:\n  npx catalog keys list',
    )
    .action(list)
}

export function showCommand(): Command {
  return new Command('show')
    .description('show one key with its grants, tiers, limit and old secrets that still work')
    .argument(...KEY)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys show app')
    .action(show)
}

async function list({ json }: Options): Promise<void> {
  const keys = await withDatabase(({ prisma }) => listKeys(prisma))
  if (json) printJson(keys)
  else printKeys(keys, new Date())
}

async function show(id: string, { json }: Options): Promise<void> {
  const now = new Date()
  const key = await withDatabase(({ prisma }) => showKey(prisma, id, now))
  if (json) printJson(key)
  else for (const [label, value] of describeKey(key, now)) printLine(`${label.padEnd(16)}${value}`)
}

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
