import { grantDataset, withdrawGrant } from '../../auth/grants.ts'
import { revokeKey } from '../../auth/keys.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import { DATASET, EXPIRES, expiry, KEY } from './options.ts'

export const revokeCommand = new CatalogCommand('revoke')
  .description("revoke a key with all of its secrets; this can't be undone")
  .argument(...KEY)
  .example('npx catalog keys revoke 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51')
  .printing({
    run: async (text: string) => {
      const { id, revokedAt } = await changeDatabase(({ prisma }) => revokeKey(prisma, text))
      return { id, revokedAt }
    },
    print: ({ id }) => printLine(`Key ${id} is revoked`),
  })

export const grantCommand = new CatalogCommand('grant')
  .description('grant a key access to a dataset')
  .argument(...KEY)
  .requiredOption(...DATASET)
  .option(...EXPIRES)
  .example('npx catalog keys grant app --dataset museums')
  .printing({
    run: grant,
    print: ({ id, dataset, expiresAt }) =>
      printLine(`Key ${id} may access ${dataset}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`),
  })

export const ungrantCommand = new CatalogCommand('ungrant')
  .description('remove a grant')
  .argument(...KEY)
  .requiredOption(...DATASET)
  .example('npx catalog keys ungrant app --dataset museums')
  .printing({
    run: ungrant,
    print: ({ id, dataset }) => printLine(`Key ${id} no longer has a grant for ${dataset}`),
  })

async function grant(keyId: string, options: { dataset: string; expires?: string }) {
  const expiresAt = expiry(options.expires)
  const { id, dataset } = await changeDatabase(({ prisma }) =>
    grantDataset(prisma, { keyId, dataset: options.dataset, expiresAt }),
  )
  return { id, dataset, expiresAt }
}

async function ungrant(keyId: string, options: { dataset: string }) {
  const { id, dataset } = await changeDatabase(({ prisma }) =>
    withdrawGrant(prisma, { keyId, dataset: options.dataset }),
  )
  return { id, dataset }
}
