import { operationFailed } from '../errors/errors.ts'
import { type FileProblem, type Problem, ProblemList } from '../rows/problem.ts'

/** A bad row or a warning, with the index of its file in the manifest. */
export interface BadRow extends Problem {
  file: number
  /** The first row with the same id, of a row that repeats an id. */
  first?: { file: number; line: number }
}

interface ProblemOptions {
  /** Whether to report each bad row to `onSkipped`, instead of an error at the end. */
  skipInvalid: boolean
  onSkipped?: (problem: FileProblem) => void
  onWarning?: (problem: FileProblem) => void
}

/** The bad rows and the warnings of one import. Memory is bounded. */
export class RowProblems {
  /** Bad rows. */
  count = 0
  /** Bad rows that name no item. */
  unidentified = 0
  /** Without doubts. Data that are right keep theirs, and each import of the same files would read them again. */
  warnings = 0
  /** Says that a file is a part of a collection. */
  #part: string | undefined
  readonly #files: readonly { name: string }[]
  readonly #options: ProblemOptions
  readonly #bad = new ProblemList()

  constructor(files: readonly { name: string }[], options: ProblemOptions) {
    this.#files = files
    this.#options = options
  }

  /** @throws `OPERATION_FAILED` for a column that each row needs, unless bad rows are skipped */
  add({ file, first, warns, line, reason, value }: BadRow): void {
    const { skipInvalid, onSkipped, onWarning } = this.#options
    const inFile = first && first.file !== file ? `${this.#nameOf(first.file)}:${first.line}` : undefined
    const as = inFile ?? (first && `line ${first.line}`)
    const problem = { file: this.#nameOf(file), line, reason, value, as }
    if (warns === 'lack') {
      if (!skipInvalid) throw operationFailed(`${problem.file}: ${reason}`)
      return
    }
    if (warns === 'part') this.#part ??= `${problem.file} ${reason}`
    if (warns !== undefined) {
      if (warns !== 'doubt') this.warnings += 1
      onWarning?.(problem)
      return
    }
    this.count += 1
    if (skipInvalid) onSkipped?.(problem)
    else this.#bad.add(problem)
  }

  #nameOf(file: number): string {
    return this.#files[file]?.name ?? ''
  }

  /** @throws `OPERATION_FAILED` with the bad rows by their reason, unless they are skipped or there are none */
  throwUnlessSkipped(): void {
    if (this.count > 0 && !this.#options.skipInvalid) throw operationFailed(this.#bad.lines)
  }

  /** @throws `OPERATION_FAILED` if a part of a collection would remove items */
  throwIfPart(slug: string, removed: number): void {
    if (this.#part === undefined || removed === 0) return
    const missing = `the dataset ${slug} has ${removed} items that it lacks`
    throw operationFailed(`${this.#part}; ${missing}; nothing was changed; to keep them, add --keep-missing`)
  }
}
