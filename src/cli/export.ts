import { Command, Option } from 'commander'
import { resolveDataset } from '../auth/names.ts'
import type { ExportFormat } from '../catalog/export-formats.ts'
import { operationFailed } from '../errors.ts'
import { withDatabase } from './database.ts'
import { DATASET } from './datasets/show.ts'
import { type ExportSource, exportBundle, exportFile, exportToStdout } from './export-files.ts'
import { terminalProgress } from './export-progress.ts'
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
    // On a terminal, the lines of the export itself are the progress.
    const showsProgress = process.stderr.isTTY && (output !== undefined || !process.stdout.isTTY)
    const progress = showsProgress ? terminalProgress(await prisma.item.count({ where: { datasetId: id } })) : undefined
    const source: ExportSource = { prisma, id, onItems: progress?.add }
    try {
      if (format === 'bundle') await exportBundle(source, { folder: output ?? '', force })
      else if (output === undefined) await exportToStdout(source, format)
      else await exportFile(source, { format, path: output, force })
    } finally {
      progress?.clear()
    }
    if (output !== undefined) printLine(`${slug}: exported to ${output}`)
  })
}
