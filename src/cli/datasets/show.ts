import { resolveDataset } from '../../auth/names.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET_NAMES } from '../keys/options.ts'
import { printLine } from '../print.ts'
import { type DatasetSummary, summarizeDataset } from './summary.ts'

/** The argument that names a dataset. */
export const DATASET = ['<slug>', DATASET_NAMES] as const

export const showCommand = new CatalogCommand('show')
  .description('show one dataset with the number of its items and of the keys that may access it')
  .argument(...DATASET)
  .example('npx catalog datasets show museums')
  .printing({ run: show, print: printDataset })

async function show(text: string): Promise<DatasetSummary> {
  return withDatabase(async ({ prisma }) => {
    const { id } = await resolveDataset(prisma, text)
    return summarizeDataset(prisma, id)
  })
}

/** Prints a dataset, one line for each field. */
export function printDataset(dataset: DatasetSummary): void {
  for (const [label, value] of describeSummary(dataset)) printLine(`${label.padEnd(14)}${value}`)
}

function describeSummary(dataset: DatasetSummary): [string, string][] {
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
