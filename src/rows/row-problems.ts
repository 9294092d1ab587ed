import { operationFailed } from '../errors/errors.ts'

/** A row that can't be imported: the index of its file in the manifest, its line, and the reason. */
export interface BadRow {
  file: number
  line: number
  reason: string
  /** What rows have in common whose reasons differ only in a value. */
  kind?: string | undefined
  /** The first row with the same id, of a row that repeats an id. */
  first?: { file: number; line: number }
}

/** A bad row or a warning, with the name of the file in the manifest. */
export interface ImportProblem {
  file: string
  /** There is none if the manifest as a whole is meant. */
  line?: number | undefined
  reason: string
  /** What rows have in common whose reasons differ only in a value. */
  kind?: string | undefined
}

/** The bad rows of one import. */
export interface RowProblems {
  readonly count: number
  /** Without guesses. Data that are right keep theirs, and each import of the same files would read them again. */
  readonly warnings: number
  add: (problem: BadRow) => void
  addAll: (problems: readonly BadRow[]) => void
  warn: (warning: BadRow & { isGuess?: true }) => void
  /** @throws `OPERATION_FAILED` with the bad rows by their reason, unless they are skipped or there are none */
  throwUnlessSkipped: () => void
}

interface ProblemOptions {
  /** Whether to report each bad row to `onSkipped`, instead of an error at the end. */
  skipInvalid: boolean
  onSkipped?: (problem: ImportProblem) => void
  onWarning?: (problem: ImportProblem) => void
}

/** Counts the bad rows of an import, and groups them by their reason. Memory is bounded. */
export function collectProblems(files: readonly { name: string }[], options: ProblemOptions): RowProblems {
  const { skipInvalid, onSkipped, onWarning } = options
  const groups = new ProblemGroups()
  let count = 0
  let warnings = 0
  const nameOf = (file: number) => files[file]?.name ?? ''
  const withFileName = ({ file, line, reason, kind, first }: BadRow): ImportProblem => {
    const place = first ? `; it stands first at ${nameOf(first.file)}:${first.line}` : ''
    return { file: nameOf(file), line, reason: reason + place, kind }
  }
  const add = (problem: BadRow) => {
    count += 1
    const named = withFileName(problem)
    if (skipInvalid) onSkipped?.(named)
    else groups.add(named)
  }
  return {
    get count() {
      return count
    },
    get warnings() {
      return warnings
    },
    add,
    addAll: (problems) => problems.forEach(add),
    warn: (warning) => {
      if (!warning.isGuess) warnings += 1
      onWarning?.(withFileName(warning))
    },
    throwUnlessSkipped: () => {
      if (count > 0 && !skipInvalid) throw operationFailed(groups.lines)
    },
  }
}

/** A group shows this number of its rows. */
const SHOWN_ROWS = 5
/** Rows with more different reasons are only counted. */
const MAX_GROUPS = 1_000
/** A list shows this number of groups. */
const SHOWN_GROUPS = 100

interface ProblemGroup {
  count: number
  /** The first rows. Their reasons differ if the group is of one kind. */
  rows: { place: string; reason: string }[]
}

/** Problems of rows, grouped by their kind, or else by their reason. Memory is bounded. */
export class ProblemGroups {
  readonly #groups = new Map<string, ProblemGroup>()
  #count = 0

  add({ file, line, reason, kind }: ImportProblem): void {
    this.#count += 1
    const key = kind ?? reason
    const group = this.#groups.get(key) ?? { count: 0, rows: [] }
    if (group.count === 0 && this.#groups.size >= MAX_GROUPS) return
    group.count += 1
    if (group.rows.length < SHOWN_ROWS)
      group.rows.push({ place: line === undefined ? file : `${file}:${line}`, reason })
    this.#groups.set(key, group)
  }

  /**
   * The problems of each group: its number of rows and the first of them, or only the rows if they are few.
   * @param label comes before the reason
   */
  describe(label = ''): string[] {
    const shown = [...this.#groups].slice(0, SHOWN_GROUPS)
    const lines = shown.flatMap(([key, group]) => describeGroup(label, key, group))
    const rest = this.#count - shown.reduce((sum, [, { count }]) => sum + count, 0)
    return rest > 0 ? [...lines, `and ${rest} more`] : lines
  }

  /** The lines of an error. */
  get lines(): string[] {
    const headline = `${this.#count === 1 ? '1 bad row' : `${this.#count} bad rows`}; nothing was changed`
    return [headline, ...this.describe()]
  }
}

function describeGroup(label: string, key: string, { count, rows }: ProblemGroup): string[] {
  const lines = rows.map(({ place, reason }) => `${place}: ${label}${reason}`)
  const isComplete = count === rows.length
  if (rows.some(({ reason }) => reason !== key))
    return isComplete ? lines : [`${label}${key}: ${count} rows, the first are`, ...lines]
  if (count <= 2) return lines
  return [
    `${label}${key}: ${count} rows, ${isComplete ? '' : 'the first at '}${rows.map(({ place }) => place).join(', ')}`,
  ]
}
