import { operationFailed } from '../errors.ts'
import type { BadRow } from './load/cross-row-checks.ts'

/** A bad row or a warning, with the name of the file in the manifest. */
export interface ImportProblem {
  file: string
  line: number
  reason: string
}

/** The bad rows of one import. */
export interface RowProblems {
  readonly count: number
  add: (problem: BadRow) => void
  addAll: (problems: readonly BadRow[]) => void
  warn: (warning: BadRow) => void
  /** @throws `OPERATION_FAILED` with the bad rows, unless they are skipped. */
  throwUnlessSkipped: () => void
}

interface ProblemOptions {
  /** Whether to report each bad row to `onSkipped`, instead of listing them in an error. */
  skipInvalid: boolean
  onSkipped?: (problem: ImportProblem) => void
  onWarning?: (problem: ImportProblem) => void
}

/** The error lists at most this number of bad rows, and counts the others. */
const LISTED = 100

/** Collects the bad rows of an import. Memory holds only those that the error will list. */
export function collectProblems(files: readonly { name: string }[], options: ProblemOptions): RowProblems {
  const { skipInvalid, onSkipped, onWarning } = options
  let count = 0
  const listed: ImportProblem[] = []
  const withFileName = ({ file, line, reason }: BadRow) => ({ file: files[file]?.name ?? '', line, reason })
  const add = (problem: BadRow) => {
    count += 1
    if (skipInvalid) onSkipped?.(withFileName(problem))
    else if (listed.length < LISTED) listed.push(withFileName(problem))
  }
  return {
    get count() {
      return count
    },
    add,
    addAll: (problems) => problems.forEach(add),
    warn: (warning) => onWarning?.(withFileName(warning)),
    throwUnlessSkipped: () => {
      if (count === 0 || skipInvalid) return
      const lines = listed.map(({ file, line, reason }) => `${file}:${line}: ${reason}`)
      const more = count > listed.length ? [`and ${count - listed.length} more`] : []
      const rows = count === 1 ? '1 bad row' : `${count} bad rows`
      throw operationFailed([`${rows}; nothing was changed`, ...lines, ...more].join('\n'))
    },
  }
}
