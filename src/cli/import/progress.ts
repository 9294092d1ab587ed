import type { ImportPhase, ImportProgress } from '../../import/import.ts'
import { clearProgress, printNotice, showProgress } from '../print.ts'

/** Shows how far an import is. */
interface ProgressDisplay {
  show: (progress: ImportProgress) => void
  showPhase: (phase: ImportPhase) => void
  /** Clears the line, so that another line can be printed. */
  clear: () => void
}

/** Shows the share read, the speed and the estimated time left; then the phase. On a terminal, it is one line that is overwritten. */
export function importProgress(isTerminal: boolean): ProgressDisplay {
  const print = isTerminal ? showProgress : printSometimes()
  let startMs = Date.now()
  let lastRows = 0
  return {
    show: ({ file, bytesRead, bytesTotal, rows }) => {
      // The import has begun again with all rows.
      if (rows < lastRows) startMs = Date.now()
      lastRows = rows
      const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal
      const seconds = Math.max(0.001, (Date.now() - startMs) / 1000)
      const speed = `${Math.round(rows / seconds)} rows/s`
      print(`${percent(share)}, ${rows} rows, ${speed}${timeLeft(startMs, share)}, ${file}`)
    },
    showPhase: (phase) => print(`${PHASES[phase]} ...`),
    clear: clearProgress,
  }
}

/** Without a terminal, a line at this interval shows that the import is running. */
const LINE_INTERVAL_MS = 10_000

function printSometimes(): (line: string) => void {
  let printedAtMs = Date.now()
  return (line) => {
    if (Date.now() - printedAtMs < LINE_INTERVAL_MS) return
    printedAtMs = Date.now()
    printNotice(line)
  }
}

const percent = (share: number) => `${Math.floor(100 * share)} %`

/** The start of a phase is slower than the rest: before both, an estimate would be many times too long. */
const ESTIMATED_AFTER_MS = 5_000
const ESTIMATED_AFTER_SHARE = 0.05

/** The estimated time left after a share of the work, which began at a time. */
function timeLeft(startMs: number, share: number): string {
  const elapsedMs = Date.now() - startMs
  if (elapsedMs < ESTIMATED_AFTER_MS || share < ESTIMATED_AFTER_SHARE) return ''
  return `, ${Math.ceil((elapsedMs * (1 - share)) / share / 1000)} s left`
}

const PHASES = {
  checking: 'all rows are read; checking them',
  comparing: 'comparing the rows with the dataset',
  merging: 'merging the rows into the dataset',
  committing: 'merging the rows into the dataset',
  analyzing: 'updating the statistics of the database',
} as const
