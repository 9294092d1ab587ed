import type { ImportPhase, ImportProgress } from '../../import/import.ts'
import { clearProgress, printNotice, showProgress } from '../print.ts'

/** Shows how far an import is. */
interface ProgressDisplay {
  show: (progress: ImportProgress) => void
  showPhase: (phase: ImportPhase, share?: number) => void
  /** Clears the line, so that another line can be printed. */
  clear: () => void
}

/** Shows progress on a terminal, in one line that it overwrites. */
export function terminalProgress(): ProgressDisplay {
  const describe = progressText()
  return {
    show: (progress) => showProgress(describe.progress(progress)),
    showPhase: (phase, share) => showProgress(describe.phase(phase, share)),
    clear: clearProgress,
  }
}

/** Without a terminal, a line at this interval shows that the import is running. */
const LINE_INTERVAL_MS = 10_000

/** Shows progress in lines, for a log. */
export function plainProgress(): ProgressDisplay {
  const describe = progressText()
  let printedAtMs = Date.now()
  const print = (line: string) => {
    if (Date.now() - printedAtMs < LINE_INTERVAL_MS) return
    printedAtMs = Date.now()
    printNotice(line)
  }
  return {
    show: (progress) => print(describe.progress(progress)),
    showPhase: (phase, share) => print(describe.phase(phase, share)),
    clear: () => {},
  }
}

/** Returns functions that describe an import: the share read, the speed and the estimated time left; then its phase. */
function progressText() {
  let startMs = Date.now()
  let lastRows = 0
  let current: { phase: ImportPhase; startMs: number } | undefined
  const progress = ({ file, bytesRead, bytesTotal, rows }: ImportProgress) => {
    // The import has begun again with all rows.
    if (rows < lastRows) startMs = Date.now()
    lastRows = rows
    const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal
    const seconds = Math.max(0.001, (Date.now() - startMs) / 1000)
    return `${percent(share)}, ${rows} rows, ${Math.round(rows / seconds)} rows/s${timeLeft(startMs, share)}, ${file}`
  }
  const phase = (phase: ImportPhase, share?: number) => {
    if (current?.phase !== phase) current = { phase, startMs: Date.now() }
    const done = share === undefined || share === 1 ? ' ...' : `: ${percent(share)}${timeLeft(current.startMs, share)}`
    return `${PHASES[phase]}${done}`
  }
  return { progress, phase }
}

const percent = (share: number) => `${Math.floor(100 * share)} %`

/** The estimated time left after a share of the work, which began at a time. */
function timeLeft(startMs: number, share: number): string {
  return share === 0 ? '' : `, ${Math.ceil(((Date.now() - startMs) * (1 - share)) / share / 1000)} s left`
}

const PHASES = {
  checking: 'all rows are read; checking them',
  comparing: 'comparing the rows with the dataset',
  merging: 'merging the rows into the dataset',
  counting: 'counting the items of lists and tiles',
  analyzing: 'updating the statistics of the database',
} as const
