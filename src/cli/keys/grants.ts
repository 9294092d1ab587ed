import { Command } from 'commander'
import { grantDataset, withdrawGrant } from '../../auth/grants.ts'
import { revokeKey } from '../../auth/keys.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine } from '../print.ts'
import { DATASET, EXPIRES, expiry, JSON_OPTION, KEY } from './options.ts'

export function revokeCommand(): Command {
  return new Command('revoke')
    .description("revoke a key with all of its secrets; this can't be undone")
    .argument(...KEY)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys revoke 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51')
    .action(revoke)
}

export function grantCommand(): Command {
  return new Command('grant')
    .description('grant a key access to a dataset')
    .argument(...KEY)
    .requiredOption(...DATASET)
    .option(...EXPIRES)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys grant app --dataset museums')
    .action(grant)
}

export function ungrantCommand(): Command {
  return new Command('ungrant')
    .description('remove a grant')
    .argument(...KEY)
    .requiredOption(...DATASET)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys ungrant app --dataset museums')
    .action(ungrant)
}

async function revoke(text: string, { json }: { json?: true }): Promise<void> {
  const { id, revokedAt } = await withDatabase(({ prisma }) => revokeKey(prisma, text))
  if (json) printJson({ id, revokedAt })
  else printLine(`Key ${id} is revoked`)
}

interface GrantOptions {
  dataset: string
  expires?: string
  json?: true
}

async function grant(keyId: string, { dataset: name, expires, json }: GrantOptions): Promise<void> {
  const expiresAt = expiry(expires)
  const { id, dataset } = await withDatabase(({ prisma }) => grantDataset(prisma, { keyId, dataset: name, expiresAt }))
  if (json) printJson({ id, dataset, expiresAt })
  else printLine(`Key ${id} may access ${dataset}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`)
}

async function ungrant(keyId: string, { dataset: name, json }: GrantOptions): Promise<void> {
  const { id, dataset } = await withDatabase(({ prisma }) => withdrawGrant(prisma, { keyId, dataset: name }))
  if (json) printJson({ id, dataset })
  else printLine(`Key ${id} no longer has a grant for ${dataset}`)
}
