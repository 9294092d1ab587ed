import { resolveDataset } from '../../auth/names.ts'
import { columnName } from '../../catalog/columns.ts'
import { updateDataset } from '../../import/change-dataset.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase, commandOrigin } from '../database.ts'
import { restoreDatasetCommand } from '../history/undo.ts'
import { DATASET } from '../options.ts'
import { printNotice } from '../print.ts'
import { removeCommand } from './remove.ts'
import { resetChangesCommand } from './reset-changes.ts'
import { type DatasetSummary, listCommand, printDataset, showCommand, summarizeDataset } from './show.ts'

const updateCommand = new CatalogCommand('update')
  .description('change fields of a dataset without importing it again')
  .argument(...DATASET)
  .option('--slug <slug>', 'name of the dataset in URLs: letters, digits and ._~-, not shaped like a UUID')
  .option('--name <name>', 'display name')
  .option('--description <text>', 'description; "" removes it')
  .option('--status <status>', 'draft, active, inactive or archived')
  .option('--visibility <visibility>', 'public, restricted or paid')
  .option('--tier <tier>', 'access tier that a key needs for a paid dataset; "" removes it')
  .option('--attribution <text>', 'credit line')
  .option('--license <license>', 'SPDX identifier, such as CC-BY-4.0, or URL; "" removes it')
  .option('--publisher <text>', 'who publishes the data; "" removes it')
  .option('--contact <address>', 'e-mail address or URL for questions; "" removes it')
  .option('--terms-url <url>', 'URL of the terms of use; "" removes it')
  .option('--source-url <url>', 'URL of the source; "" removes it')
  .option('--source-date <date>', 'date of the source, such as 2026-01-31; "" removes it')
  .option('--update-frequency <text>', 'how often the data changes; "" removes it')
  .example('npx catalog datasets update museums --status archived')
  .printing({
    run: update,
    print: (dataset, _text, options) => {
      printDataset(dataset)
      const fields = Object.keys(changesOf(options))
        .filter((field) => field !== 'slug')
        .join(', ')
      if (fields !== '')
        printNotice(`The next import of its manifest sets ${fields} again, unless the manifest changes too`)
    },
  })

export const datasetsCommand = new CatalogCommand('datasets')
  .example('npx catalog datasets')
  .addCommand(listCommand, { isDefault: true })
  .adding(showCommand, updateCommand, removeCommand, restoreDatasetCommand, resetChangesCommand)

/** The option of a field: `--terms-url` for `termsUrl`. */
const optionOf = (field: string) => (field === 'accessTier' ? '--tier' : `--${columnName(field).replaceAll('_', '-')}`)

interface Options {
  json?: true
  tier?: string
  [field: string]: unknown
}

const changesOf = ({ json: _, tier, ...options }: Options) => ({
  ...options,
  ...(tier !== undefined && { accessTier: tier }),
})

async function update(text: string, options: Options): Promise<DatasetSummary> {
  const changes = changesOf(options)
  updateCommand.requireChange(changes)
  const dataset = await changeDatabase(async ({ prisma, withSession }) => {
    const { id } = await resolveDataset(prisma, text)
    // A session has no statement timeout, and an import of the dataset takes a while.
    await withSession((session) => updateDataset(session, id, changes, optionOf, commandOrigin()))
    return summarizeDataset(prisma, id)
  })
  if (dataset.visibility === 'paid' && dataset.accessTier === null) {
    printNotice('warning: a paid dataset without a tier is open only to keys with a grant; give it one with --tier')
  }
  return dataset
}
