import { Command } from 'commander'
import { resolveDataset } from '../../auth/names.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { printJson, printLine } from '../print.ts'
import { type DatasetSummary, summarizeDatasets } from './summary.ts'

/** The argument that names a dataset. */
export const DATASET = ['<slug>', DATASET_NAMES] as const

export function showCommand(): Command {
  return new Command('show')
    .description('show one dataset with the number of its items and of the keys that may access it')
    .argument(...DATASET)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog datasets show museums')
    .action(show)
}

async function show(text: string, { json }: { json?: true }): Promise<void> {
  const [dataset] = await withDatabase(async ({ prisma }) => {
    const { id } = await resolveDataset(prisma, text)
    return summarizeDatasets(prisma, new Date(), id)
  })
  if (dataset) printDataset(dataset, json)
}

/** Prints a dataset, one line for each field, or as JSON. */
export function printDataset(dataset: DatasetSummary, json: true | undefined): void {
  if (json) printJson(dataset)
  else for (const [label, value] of describe(dataset)) printLine(`${label.padEnd(14)}${value}`)
}

function describe(dataset: DatasetSummary): [string, string][] {
  return [
    ['slug', dataset.slug],
    ['id', dataset.id],
    ['name', dataset.name],
    ['description', dataset.description ?? '-'],
    ['status', dataset.status],
    ['visibility', dataset.visibility],
    ['tier', dataset.accessTier ?? '-'],
    ['attribution', dataset.attribution],
    ['license', dataset.license ?? '-'],
    ['publisher', dataset.publisher ?? '-'],
    ['contact', dataset.contact ?? '-'],
    ['terms', dataset.termsUrl ?? '-'],
    ['source', dataset.sourceUrl ?? '-'],
    ['source date', dataset.sourceDate ?? '-'],
    ['changes', dataset.updateFrequency ?? '-'],
    ['items', String(dataset.items)],
    ['keys', `${dataset.keys} may access it`],
    ['created', dataset.createdAt.toISOString()],
    ['updated', dataset.updatedAt.toISOString()],
  ]
}
