import { Command } from 'commander'
import { grantDataset, withdrawGrant } from '../../auth/grants.ts'
import { revokeKey } from '../../auth/keys.ts'
import { printing } from '../command.ts'
import { withDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import { DATASET, EXPIRES, expiry, KEY } from './options.ts'

export function revokeCommand(): Command {
  const command = new Command('revoke')
    .description("revoke a key with all of its secrets; this can't be undone")
    .argument(...KEY)
  return printing(command, {
    example: 'keys revoke 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51',
    run: async (text: string) => {
      const { id, revokedAt } = await withDatabase(({ prisma }) => revokeKey(prisma, text))
      return { id, revokedAt }
    },
    print: ({ id }) => printLine(`Key ${id} is revoked`),
  })
}

export function grantCommand(): Command {
  const command = new Command('grant')
    .description('grant a key access to a dataset')
    .argument(...KEY)
    .requiredOption(...DATASET)
    .option(...EXPIRES)
  return printing(command, {
    example: 'keys grant app --dataset museums',
    run: grant,
    print: ({ id, dataset, expiresAt }) =>
      printLine(`Key ${id} may access ${dataset}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`),
  })
}

export function ungrantCommand(): Command {
  const command = new Command('ungrant')
    .description('remove a grant')
    .argument(...KEY)
    .requiredOption(...DATASET)
  return printing(command, {
    example: 'keys ungrant app --dataset museums',
    run: ungrant,
    print: ({ id, dataset }) => printLine(`Key ${id} no longer has a grant for ${dataset}`),
  })
}

async function grant(keyId: string, options: { dataset: string; expires?: string }) {
  const expiresAt = expiry(options.expires)
  const { id, dataset } = await withDatabase(({ prisma }) =>
    grantDataset(prisma, { keyId, dataset: options.dataset, expiresAt }),
  )
  return { id, dataset, expiresAt }
}

async function ungrant(keyId: string, options: { dataset: string }) {
  const { id, dataset } = await withDatabase(({ prisma }) => withdrawGrant(prisma, { keyId, dataset: options.dataset }))
  return { id, dataset }
}
