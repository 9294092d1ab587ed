import { Command, Option } from 'commander'
import { resolveDataset } from '../auth/names.ts'
import type { ExportFormat } from '../catalog/export-formats.ts'
import { operationFailed } from '../errors.ts'
import { withDatabase } from './database.ts'
import { DATASET } from './datasets/show.ts'
import { exportBundle, exportFile, exportToStdout } from './export-files.ts'
import { printLine } from './print.ts'

interface Options {
  format: ExportFormat | 'bundle'
  output?: string
  force?: boolean
}

export function exportCommand(): Command {
  const format = new Option('--format <format>', 'a bundle is a folder to import elsewhere')
    .choices(['ndjson', 'csv', 'geojson', 'bundle'])
    .makeOptionMandatory()
  return new Command('export')
    .description('write a dataset with all of its items to a file, to stdout or to a bundle')
    .argument(...DATASET)
    .addOption(format)
    .option('--output <path>', 'the file to write, or the folder of a bundle; default: stdout')
    .option('--force', 'replace the file or the bundle if it exists')
    .addHelpText('after', '\nExample:\n  npx catalog export museums --format bundle --output museums-copy')
    .action(run)
}

async function run(text: string, { format, output, force = false }: Options): Promise<void> {
  if (format === 'bundle' && output === undefined) throw operationFailed('--format bundle needs --output FOLDER')
  await withDatabase(async ({ prisma }) => {
    const { id, slug } = await resolveDataset(prisma, text)
    if (output === undefined) {
      if (format !== 'bundle') await exportToStdout(prisma, id, format)
      return
    }
    if (format === 'bundle') await exportBundle(prisma, id, { folder: output, force })
    else await exportFile(prisma, id, { format, path: output, force })
    printLine(`${slug}: exported to ${output}`)
  })
}
