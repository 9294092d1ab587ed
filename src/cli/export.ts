import { extname } from 'node:path'
import { Option } from 'commander'
import { resolveDataset } from '../auth/names.ts'
import { EXPORT_FORMATS } from '../catalog/export-formats.ts'
import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { CatalogCommand } from './command.ts'
import { withDatabase } from './database.ts'
import { exportCatalog } from './export-catalog.ts'
import { type ExportSource, exportBundle, exportFile } from './export-files.ts'
import { DATASET_NAMES } from './options.ts'
import { clearProgress, printLine, showProgress } from './print.ts'
import { stoppable } from './stop.ts'

interface Options {
  format?: string
  output?: string
  all?: string
  withKeys?: true
  force?: boolean
}

export const exportCommand = new CatalogCommand('export')
  .argument('[slug]', DATASET_NAMES)
  .addOption(
    new Option('--format <format>', 'a bundle is a folder to import elsewhere').choices([
      ...EXPORT_FORMATS.map(({ name }) => name),
      'bundle',
    ]),
  )
  .option(
    '--output <path>',
    'the file to write, whose ending names the format too, or the folder of a bundle; default: stdout',
  )
  .option('--all <folder>', 'write all datasets to this folder, which catalog import reads')
  .option('--with-keys', 'with --all: also write the hashes of the keys, so that the keys work on the copy')
  .option('--force', 'replace the file or the bundle if it exists')
  .example('npx catalog export museums --format bundle --output museums-copy')
  .action(run)

async function run(text: string | undefined, { all, withKeys, ...options }: Options): Promise<void> {
  if (all !== undefined) {
    if (text !== undefined || options.format !== undefined || options.output !== undefined)
      throw operationFailed('--all FOLDER takes neither a dataset nor --format nor --output')
    return exportAll(all, withKeys ?? false, options.force)
  }
  const ending = options.output === undefined ? '' : extname(options.output).slice(1).toLowerCase()
  const format = options.format ?? EXPORT_FORMATS.find(({ name }) => name === ending)?.name
  if (text === undefined) throw operationFailed('Name a dataset, or write all of them with --all FOLDER')
  if (format === undefined) throw operationFailed("required option '--format <format>' not specified")
  if (withKeys) throw operationFailed('--with-keys needs --all FOLDER')
  await exportOne(text, { ...options, format })
}

async function exportAll(folder: string, withKeys: boolean, force = false): Promise<void> {
  const onDataset = (slug: string) => printLine(`${slug}: exported`)
  const { datasets } = await withDatabase((database) =>
    stoppable(
      () => `${folder} may be incomplete`,
      () => exportCatalog(database, { folder, force, withKeys, onDataset }),
    ),
  )
  printLine(
    `${datasets.length} datasets ${withKeys ? 'and all keys ' : ''}are in ${folder}; import them elsewhere: npx catalog import ${quoteForShell(folder)}`,
  )
}

async function exportOne(text: string, { format: name, output, force = false }: Options) {
  // Without a format, it is a bundle: commander has checked the name.
  const format = EXPORT_FORMATS.find((each) => each.name === name)
  if (!format && output === undefined) throw operationFailed('--format bundle needs --output FOLDER')
  if (format && !format.frame && output === undefined && process.stdout.isTTY)
    throw operationFailed(`--format ${name} is no text for a terminal; name a file with --output PATH`)
  await withDatabase(async ({ prisma }) => {
    const { id, slug } = await resolveDataset(prisma, text)
    // On a terminal, the lines of the export itself are the progress.
    const showsProgress = process.stderr.isTTY && (output !== undefined || !process.stdout.isTTY)
    const onItems = showsProgress ? terminalProgress(await prisma.item.count({ where: { datasetId: id } })) : undefined
    const source: ExportSource = { prisma, id, onItems }
    try {
      if (!format)
        await stoppable(
          () => `${output} may be incomplete`,
          () => exportBundle(source, { folder: output ?? '', force }),
        )
      else await exportFile(source, { format, path: output, force })
    } finally {
      clearProgress()
    }
    if (output !== undefined) printLine(`${slug}: exported to ${output}`)
  })
}

const INTERVAL_MS = 100

/**
 * Shows the number of read items on a terminal, in one line that it overwrites.
 * @returns a function that adds items
 */
function terminalProgress(total: number): (count: number) => void {
  const startMs = Date.now()
  let items = 0
  let shownAtMs = startMs
  return (count) => {
    items += count
    const nowMs = Date.now()
    if (nowMs - shownAtMs < INTERVAL_MS && items < total) return
    shownAtMs = nowMs
    const share = total === 0 ? 100 : Math.floor((100 * items) / total)
    const rate = Math.round((1000 * items) / Math.max(1, nowMs - startMs))
    showProgress(`${share} %, ${items} of ${total} items, ${rate} items/s`)
  }
}
