import { operationFailed } from '../../errors/errors.ts'
import { initManifest } from '../../init/init-manifest.ts'
import { CatalogCommand } from '../command.ts'
import { printJson } from '../print.ts'
import { printProposal } from './print-proposal.ts'

interface Options {
  output?: string
  country?: string
  json?: true
}

export const initCommand = new CatalogCommand('init')
  .description('write a manifest for a file of items, and show all that it takes from the file')
  .argument('<file>', 'file of items')
  .option('--output <manifest>', 'path of the manifest; by default it is beside the file')
  .option('--country <code>', 'list the reference systems of a country (ISO 3166-1), for metres')
  .option('--json', 'print JSON')
  .example('npx catalog import init museums.csv')
  .action(run)

/** @throws `OPERATION_FAILED` if a required field has no column; the columns are printed before */
async function run(file: string, { output, country, json }: Options): Promise<void> {
  const proposal = await initManifest(file, output, country)
  if (json) printJson(proposal)
  else printProposal(proposal)
  const { missing } = proposal
  if (missing.length > 0)
    throw operationFailed(
      `${file}: no column was found for ${missing.join(', ')}; no manifest was written; write one whose "columns" name them`,
    )
}
