import { operationFailed } from '../errors.ts'
import type { BadRow } from './load/checks.ts'

/** Something about a row of a file, by its name in the manifest. */
export interface ImportProblem {
  file: string
  line: number
  reason: string
}

/** The bad rows of an import. */
export interface ProblemList {
  readonly count: number
  add: (problem: BadRow) => void
  addAll: (problems: readonly BadRow[]) => void
  warn: (warning: BadRow) => void
  /** @throws `OPERATION_FAILED` that lists the bad rows, where they may not be skipped. */
  throwUnlessSkipped: () => void
}

/** So many bad rows are listed; of more only the number is told. */
const LISTED = 100

/** Collects the bad rows of an import, the first of them only where they are to be listed at the end. */
export function problemList(
  files: readonly { name: string }[],
  {
    skipInvalid,
    onSkipped,
    onWarning,
  }: {
    skipInvalid: boolean
    onSkipped?: (problem: ImportProblem) => void
    onWarning?: (problem: ImportProblem) => void
  },
): ProblemList {
  let count = 0
  const listed: ImportProblem[] = []
  const named = ({ file, line, reason }: BadRow) => ({ file: files[file]?.name ?? '', line, reason })
  const add = (problem: BadRow) => {
    count += 1
    if (skipInvalid) onSkipped?.(named(problem))
    else if (listed.length < LISTED) listed.push(named(problem))
  }
  return {
    get count() {
      return count
    },
    add,
    addAll: (problems) => problems.forEach(add),
    warn: (warning) => onWarning?.(named(warning)),
    throwUnlessSkipped: () => {
      if (count === 0 || skipInvalid) return
      const lines = listed.map(({ file, line, reason }) => `${file}:${line}: ${reason}`)
      const more = count > listed.length ? [`and ${count - listed.length} more`] : []
      const rows = count === 1 ? '1 bad row' : `${count} bad rows`
      throw operationFailed([`${rows}; nothing was changed`, ...lines, ...more].join('\n'))
    },
  }
}
