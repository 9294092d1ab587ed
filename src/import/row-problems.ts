import { operationFailed, withoutControls } from '../errors.ts'
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
  const nameOf = (file: number) => files[file]?.name ?? ''
  const withFileName = ({ file, line, reason, first }: BadRow): ImportProblem => {
    const place = first ? `; it stands first at ${nameOf(first.file)}:${first.line}` : ''
    return { file: nameOf(file), line, reason: reason + place }
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
    add,
    addAll: (problems) => problems.forEach(add),
    warn: (warning) => onWarning?.(withFileName(warning)),
    throwUnlessSkipped: () => {
      if (count > 0 && !skipInvalid) throw operationFailed(groups.message)
    },
  }
}

/** A group shows the places of this number of rows. */
const PLACES = 5
/** Rows with more different reasons are only counted. */
const MAX_GROUPS = 1_000
/** A list shows this number of groups. */
const SHOWN_GROUPS = 100

/** Problems of rows, grouped by their reason. Memory is bounded. */
export class ProblemGroups {
  readonly #groups = new Map<string, { count: number; places: string[] }>()
  #count = 0

  add({ file, line, reason: text }: ImportProblem): void {
    this.#count += 1
    // A reason may quote a value with line breaks.
    const reason = withoutControls(text)
    const group = this.#groups.get(reason) ?? { count: 0, places: [] }
    if (group.count === 0 && this.#groups.size >= MAX_GROUPS) return
    group.count += 1
    if (group.places.length < PLACES) group.places.push(`${file}:${line}`)
    this.#groups.set(reason, group)
  }

  /**
   * A line for each reason with its number of rows and the first places, or a line for each row if the places are few.
   * @param label stands before the reason
   */
  describe(label = ''): string[] {
    const shown = [...this.#groups].slice(0, SHOWN_GROUPS)
    const lines = shown.flatMap(([reason, { count, places }]) =>
      count <= 2
        ? places.map((place) => `${place}: ${label}${reason}`)
        : [`${label}${reason}: ${count} rows, ${count > places.length ? 'the first at ' : ''}${places.join(', ')}`],
    )
    const rest = this.#count - shown.reduce((sum, [, { count }]) => sum + count, 0)
    return rest > 0 ? [...lines, `and ${rest} more`] : lines
  }

  /** The lines of an error. */
  get message(): string {
    const headline = `${this.#count === 1 ? '1 bad row' : `${this.#count} bad rows`}; nothing was changed`
    return [headline, ...this.describe()].join('\n')
  }
}
