import { parseGrace } from '../../auth/expiry.ts'
import { grantDataset, withdrawGrant } from '../../auth/grants.ts'
import { revokeKey, showKey } from '../../auth/keys.ts'
import { rotateKey } from '../../auth/rotate.ts'
import { parseDays, reportUsage } from '../../auth/usage-report.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase, withDatabase } from '../database.ts'
import { DATASET_NAMES, EXPIRES, KEY } from '../options.ts'
import { printLine, printNotice, printTable } from '../print.ts'
import { createCommand, printSecret, updateCommand } from './change.ts'
import { listCommand, showCommand } from './show.ts'

const DATASET = ['--dataset <slug>', DATASET_NAMES] as const

/** On stderr, so that a script reads only the table. */
const NO_DATASET = 'DATASET is - for requests that read several datasets, or none. Refused requests count too.'

const usageCommand = new CatalogCommand('usage')
  .description('count requests, items and bytes by key and dataset on each day (UTC), up to 30 seconds late')
  .argument('[id]', `${KEY[1]}; without it, all keys`)
  .option(...DATASET)
  .option('--days <n>', 'the last n days, including today', parseDays, 30)
  .example('npx catalog keys usage --dataset museums --days 7')
  .printing({
    run: (key: string | undefined, options: { dataset?: string; days: number }) =>
      withDatabase(({ prisma }) => reportUsage(prisma, { key, ...options }, new Date())),
    print: (rows, _key, { days }) => {
      printTable(
        ['DAY', 'KEY', 'DATASET', 'REQUESTS', 'ITEMS', 'BYTES'],
        rows.map(({ day, key, dataset, requests, items, bytes }) => [
          ...[day, key, dataset ?? '-', String(requests), String(items), String(bytes)],
        ]),
        `There was no use in the last ${days} days`,
      )
      if (rows.some(({ dataset }) => dataset === null)) printNotice(NO_DATASET)
    },
  })

const rotateCommand = new CatalogCommand('rotate')
  .description('give a key a new secret and print it; the old secret works until the grace period ends')
  .argument(...KEY)
  .option('--grace <duration>', 'how long the old secret still works; 0s ends all old secrets at once', '24h')
  .example('npx catalog keys rotate app --grace 7d')
  .printing({
    run: async (id: string, { grace }: { grace: string }) => {
      const graceMs = parseGrace(grace)
      return changeDatabase(async ({ prisma }) => {
        const { origins, grants } = await showKey(prisma, id, new Date())
        return { rotated: await rotateKey(prisma, id, graceMs), origins, grants }
      })
    },
    print: async ({ rotated: { id, name, key, previousExpiresAt }, ...access }, _id, { grace }) => {
      const old = parseGrace(grace) === 0 ? 'no longer works' : `works until ${previousExpiresAt.toISOString()}`
      await printSecret(`Key ${id} for ${name} has a new secret; the old one ${old}`, { id, key, ...access })
    },
    toJson: ({ rotated }) => rotated,
  })

const revokeCommand = new CatalogCommand('revoke')
  .description("revoke a key with all of its secrets; this can't be undone")
  .argument(...KEY)
  .example('npx catalog keys revoke 6f1c0a52-3c59-4d7c-9a55-6c1f0f3f4a51')
  .printing({
    run: (id: string) => changeDatabase(({ prisma }) => revokeKey(prisma, id)),
    print: ({ id, name }) => printLine(`Key ${id} for ${name} is revoked`),
    toJson: ({ id, revokedAt }) => ({ id, revokedAt }),
  })

const grantCommand = new CatalogCommand('grant')
  .description('grant a key access to a dataset')
  .argument(...KEY)
  .requiredOption(...DATASET)
  .option(...EXPIRES)
  .example('npx catalog keys grant app --dataset museums')
  .printing({
    run: async (keyId: string, { dataset, expires }: { dataset: string; expires?: Date }) => {
      const expiresAt = expires ?? null
      const granted = await changeDatabase(({ prisma }) => grantDataset(prisma, { keyId, dataset, expiresAt }))
      return { ...granted, expiresAt }
    },
    print: ({ id, name, dataset, expiresAt }) =>
      printLine(`Key ${id} for ${name} may access ${dataset}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`),
  })

const ungrantCommand = new CatalogCommand('ungrant')
  .description('remove a grant')
  .argument(...KEY)
  .requiredOption(...DATASET)
  .example('npx catalog keys ungrant app --dataset museums')
  .printing({
    run: (keyId: string, { dataset }: { dataset: string }) =>
      changeDatabase(({ prisma }) => withdrawGrant(prisma, { keyId, dataset })),
    print: ({ id, name, dataset }) => printLine(`Key ${id} for ${name} no longer has a grant for ${dataset}`),
  })

export const keysCommand = new CatalogCommand('keys')
  .example('npx catalog keys create --name app --dataset museums')
  .adding(createCommand, listCommand, showCommand, usageCommand, updateCommand, rotateCommand)
  .adding(revokeCommand, grantCommand, ungrantCommand)
