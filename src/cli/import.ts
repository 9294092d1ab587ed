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
    .description('load or update datasets, each all or nothing')
    .argument('<manifest...>', 'manifest files; paths in a manifest are relative to it')
    .option('--keep-missing', 'keep items that the files no longer have')
    .option('--skip-invalid', 'load the good rows and report the bad ones')
    .option('--json', 'print a line of JSON for each manifest')
    .addHelpText('after', '\nExample:\n  npx catalog import museums.json')
    .action(run)
}

async function run(manifests: string[], { json, keepMissing = false, skipInvalid = false }: Options): Promise<void> {
  await withDatabase(async (database) => {
    for (const manifest of manifests) {
      const progress = process.stderr.isTTY ? progressLine() : progressLines()
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

/** One line on the terminal, written over and over. */
function progressLine() {
  const tell = storyteller()
  return {
    show: (progress: ImportProgress) => {
      process.stderr.write(ERASE_LINE + tell(progress).slice(0, process.stderr.columns - 1))
    },
    clear: () => void process.stderr.write(ERASE_LINE),
  }
}

/** Where there is no terminal a line now and then shows that it goes on. */
const LINE_INTERVAL_MS = 10_000

function progressLines() {
  const tell = storyteller()
  let toldAtMs = Date.now()
  return {
    show: (progress: ImportProgress) => {
      if (Date.now() - toldAtMs < LINE_INTERVAL_MS) return
      toldAtMs = Date.now()
      printNotice(tell(progress))
    },
    clear: () => {},
  }
}

/** Tells how far an import has come, how fast it goes, and how long it may take still. */
function storyteller() {
  const startMs = Date.now()
  return ({ file, bytesRead, bytesTotal, rows }: ImportProgress) => {
    const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal
    const seconds = Math.max(0.001, (Date.now() - startMs) / 1000)
    const secondsLeft = share === 0 ? undefined : Math.ceil((seconds * (1 - share)) / share)
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    return `${Math.floor(100 * share)} %, ${rows} rows, ${Math.round(rows / seconds)} rows/s${left}, ${file}`
  }
}
