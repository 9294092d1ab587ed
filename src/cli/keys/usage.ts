import { Command } from 'commander'
import { parseDays, reportUsage, type UsageRow } from '../../auth/usage-report.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine, printTable } from '../print.ts'
import { DATASET, JSON_OPTION, KEY } from './options.ts'

export function usageCommand(): Command {
  const [, description] = KEY
  return new Command('usage')
    .description('count requests, items and bytes by key and dataset on each day (UTC), accurate to half a minute')
    .argument('[id]', `${description}; without it, all keys`)
    .option(...DATASET)
    .option('--days <n>', 'the last n days, with today', '30')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys usage --dataset museums --days 7')
    .action(usage)
}

interface Options {
  dataset?: string
  days: string
  json?: true
}

async function usage(key: string | undefined, { dataset, days: text, json }: Options): Promise<void> {
  const days = parseDays(text)
  const rows = await withDatabase(({ prisma }) => reportUsage(prisma, { key, dataset, days }, new Date()))
  if (json) printJson(rows)
  else if (rows.length === 0) printLine(`There was no use in the last ${days} days`)
  else printUsage(rows)
}

function printUsage(rows: readonly UsageRow[]): void {
  printTable(
    ['DAY', 'KEY', 'DATASET', 'REQUESTS', 'ITEMS', 'BYTES'],
    rows.map(({ day, key, dataset, requests, items, bytes }) => [
      ...[day, key, dataset ?? '-', String(requests), String(items), String(bytes)],
    ]),
  )
}
