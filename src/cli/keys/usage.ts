import { parseDays, reportUsage, type UsageRow } from '../../auth/usage-report.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { printTable } from '../print.ts'
import { DATASET, KEY } from './options.ts'

export const usageCommand = new CatalogCommand('usage')
  .description('count requests, items and bytes by key and dataset on each day (UTC), accurate to half a minute')
  .argument('[id]', `${KEY[1]}; without it, all keys`)
  .option(...DATASET)
  .option('--days <n>', 'the last n days, with today', '30')
  .example('npx catalog keys usage --dataset museums --days 7')
  .printing({ run: usage, print: printUsage })

interface Options {
  dataset?: string
  days: string
}

async function usage(key: string | undefined, { dataset, days: text }: Options): Promise<UsageRow[]> {
  const days = parseDays(text)
  return withDatabase(({ prisma }) => reportUsage(prisma, { key, dataset, days }, new Date()))
}

function printUsage(rows: readonly UsageRow[], _key: string | undefined, { days }: Options): void {
  printTable(
    ['DAY', 'KEY', 'DATASET', 'REQUESTS', 'ITEMS', 'BYTES'],
    rows.map(({ day, key, dataset, requests, items, bytes }) => [
      ...[day, key, dataset ?? '-', String(requests), String(items), String(bytes)],
    ]),
    `There was no use in the last ${parseDays(days)} days`,
  )
}
