import type { ImportPhase, ImportProgress } from '../../import/import.ts'
import { clearProgress, printNotice, showProgress } from '../print.ts'

/** Shows how far an import is. */
interface ProgressDisplay {
  show: (progress: ImportProgress) => void
  showPhase: (phase: ImportPhase) => void
  /** Clears the line, so that another line can be printed. */
  clear: () => void
}

/** Shows progress on a terminal, in one line that it overwrites. */
export function terminalProgress(): ProgressDisplay {
  const describe = progressText()
  return {
    show: (progress) => showProgress(describe.progress(progress)),
    showPhase: (phase) => showProgress(describe.phase(phase)),
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
    showPhase: (phase) => print(describe.phase(phase)),
    clear: () => {},
  }
}

/** Returns functions that describe an import: the share read, the speed and the estimated time left; then its phase. */
function progressText() {
  const startMs = Date.now()
  const progress = ({ file, bytesRead, bytesTotal, rows }: ImportProgress) => {
    const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal
    const seconds = Math.max(0.001, (Date.now() - startMs) / 1000)
    const secondsLeft = share === 0 ? undefined : Math.ceil((seconds * (1 - share)) / share)
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    return `${Math.floor(100 * share)} %, ${rows} rows, ${Math.round(rows / seconds)} rows/s${left}, ${file}`
  }
  return { progress, phase: (phase: ImportPhase) => `${PHASES[phase]} ...` }
}

const PHASES = { checking: 'all rows are read; checking them', merging: 'merging the rows into the dataset' } as const
