import { withNested } from '../rows/column-mapping.ts'
import type { Fields } from '../rows/formats/source.ts'
import type { Columns, ItemFile } from '../rows/manifest.ts'
import { Places, type StoredPlace } from '../rows/places.ts'
import { ProblemList } from '../rows/problem.ts'
import { rows } from '../rows/rows.ts'
import { completeColumns, findLabels } from './columns.ts'
import { chooseIdentity, findIdentities } from './identity.ts'
import { cellOf, type Sample } from './sample.ts'

const SHOWN_TEXTS = 3
const MAX_TEXT_LENGTH = 40
const BEYOND_ASCII = /(?![\0-\x7f])\p{L}/u

/** What rows say of columns that the first ones have proposed: which name an item, and which are blank in some rows. */
class Survey {
  readonly labels: ReturnType<typeof findLabels>
  readonly #sample: Sample
  readonly #columns: Columns
  readonly #identities: ReturnType<typeof findIdentities>
  readonly #blank = new Set<string>()
  readonly #texts = new Set<string>()

  constructor(sample: Sample, columns: Columns) {
    this.#sample = sample
    this.#columns = columns
    this.labels = findLabels(sample, columns)
    this.#identities = findIdentities(sample, columns)
  }

  see(row: Fields): void {
    for (const each of [...this.#identities, ...this.labels]) each.see(row)
    for (const column of this.#sample.columns) {
      const text = cellOf(row, column)
      if (text === '') this.#blank.add(column)
      else if (this.#texts.size < SHOWN_TEXTS && BEYOND_ASCII.test(text))
        this.#texts.add(text.slice(0, MAX_TEXT_LENGTH))
    }
  }

  /** The first texts with letters beyond ASCII. */
  get texts(): string[] {
    return [...this.#texts]
  }

  /** All columns, and what may name the items. */
  get proposal() {
    const named = chooseIdentity(this.#identities, this.#sample)
    return {
      named,
      columns: completeColumns(this.#sample, { ...this.#columns, ...named?.identity.columns }, this.#blank),
    }
  }
}

/** Rows that are read. The values of keys are in memory. */
const MAX_ROWS = 200_000

/** What an import says of the rows. */
export interface CheckedRows {
  /** At most 200,000. */
  rows: number
  badRows: number
  /** The bad rows, and what may be wrong with others, by their reasons. */
  bad: string[]
  warnings: string[]
  /** The first, the middle and the last place as they would be stored. */
  places: StoredPlace[]
}

/**
 * Reads all rows with the columns that the first ones propose, and once more if the others propose different ones.
 * @param columns have no identity yet
 */
export async function surveyRows(file: Omit<ItemFile, 'columns'>, sample: Sample, columns: Columns) {
  const [first, all] = [new Survey(sample, columns), new Survey(sample, columns)]
  for (const row of sample.rows) first.see(row)
  const likely = first.proposal.columns
  const checked = await checkRows({ ...file, columns: likely }, (row) => all.see(row))
  const { proposal, texts, labels } = all
  const isSame = JSON.stringify(proposal.columns) === JSON.stringify(likely)
  const again = isSame ? checked : await checkRows({ ...file, columns: proposal.columns })
  return { ...proposal, texts, labels: labels.filter(({ isOneToOne }) => isOneToOne), checked: again }
}

/** Reads the rows as an import does, without a database, and shows each as it is in the file. */
async function checkRows(file: ItemFile, onRow?: (row: Fields) => void): Promise<CheckedRows> {
  const [bad, warnings, places] = [new ProblemList(), new ProblemList(), new Places()]
  let count = 0
  for await (const row of rows(file, undefined, ({ fields }) => onRow?.(withNested(fields)))) {
    const problems = 'reason' in row && row.warns !== undefined ? warnings : bad
    if ('reason' in row) problems.add({ file: file.name, ...row })
    if (problems === bad) count += 1
    if ('item' in row) places.add(count, row.item)
    if (count >= MAX_ROWS) break
  }
  return {
    rows: count,
    badRows: bad.count,
    bad: bad.describe(),
    warnings: warnings.describe('warning: '),
    places: places.three,
  }
}
