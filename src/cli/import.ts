import { Command } from 'commander'
import { type ImportProblem, type ImportProgress, type ImportSummary, importManifest } from '../import/import.ts'
import { withDatabase } from './database.ts'
import { printJson, printLine, printNotice } from './print.ts'

interface Options {
  keepMissing?: boolean
  skipInvalid?: boolean
  json?: true
}

export function importCommand(): Command {
  return new Command('import')
    .description('load or update datasets; each is imported completely or not at all')
    .argument('<manifest...>', 'manifest files; the paths in a manifest are relative to the manifest')
    .option('--keep-missing', 'keep items that are no longer in the files')
    .option('--skip-invalid', 'import the valid rows and report the invalid ones')
    .option('--json', 'print one line of JSON for each manifest')
    .addHelpText('after', '\nExample:\n  npx catalog import museums.json')
    .action(run)
}

async function run(manifests: string[], { json, keepMissing = false, skipInvalid = false }: Options): Promise<void> {
  await withDatabase(async (database) => {
    for (const manifest of manifests) {
      const progress = process.stderr.isTTY ? terminalProgress() : plainProgress()
      const report = (kind: string, { file, line, reason }: ImportProblem) => {
        progress.clear()
        printNotice(`${file}:${line}: ${kind}: ${reason}`)
      }
      const summary = await importManifest(database, manifest, {
        keepMissing,
        skipInvalid,
        onProgress: progress.show,
        onWarning: (problem) => report('warning', problem),
        onSkipped: (problem) => report('skipped', problem),
      }).finally(progress.clear)
      if (json) printJson(summary)
      else printLine(counts(summary))
    }
  })
}

function counts({ slug, created, updated, unchanged, removed, skipped }: ImportSummary): string {
  return `${slug}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${removed} removed, ${skipped} skipped`
}

const ERASE_LINE = '\r\x1b[2K'

/** Shows progress on a terminal, in one line that it overwrites. */
function terminalProgress() {
  const describe = progressText()
  return {
    show: (progress: ImportProgress) => {
      process.stderr.write(ERASE_LINE + describe(progress).slice(0, process.stderr.columns - 1))
    },
    clear: () => void process.stderr.write(ERASE_LINE),
  }
}

/** Without a terminal, a line at this interval shows that the import is running. */
const LINE_INTERVAL_MS = 10_000

function plainProgress() {
  const describe = progressText()
  let printedAtMs = Date.now()
  return {
    show: (progress: ImportProgress) => {
      if (Date.now() - printedAtMs < LINE_INTERVAL_MS) return
      printedAtMs = Date.now()
      printNotice(describe(progress))
    },
    clear: () => {},
  }
}

/** Returns a function that describes the progress of an import: the share read, the speed, and the estimated time left. */
function progressText() {
  const startMs = Date.now()
  return ({ file, bytesRead, bytesTotal, rows }: ImportProgress) => {
    const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal
    const seconds = Math.max(0.001, (Date.now() - startMs) / 1000)
    const secondsLeft = share === 0 ? undefined : Math.ceil((seconds * (1 - share)) / share)
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    return `${Math.floor(100 * share)} %, ${rows} rows, ${Math.round(rows / seconds)} rows/s${left}, ${file}`
  }
}
