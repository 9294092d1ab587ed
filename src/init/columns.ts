import { columnsOfField, mappedColumns, textOf } from '../rows/column-mapping.ts'
import { type CodeLabel, LABELLED_FIELDS } from '../rows/field-schemas.ts'
import type { Fields } from '../rows/formats/source.ts'
import type { ColumnSource, Columns } from '../rows/manifest.ts'
import { acceptsValue, ROW_FIELDS } from '../rows/parse-item.ts'
import { type Choice, openChoice, type Reading, toReading } from './choice.ts'
import { columnsCalled, isCalled } from './header-names.ts'
import { cellOf, MAX_OTHERS, type Sample } from './sample.ts'

type RowField = (typeof ROW_FIELDS)[number]

/** Fields that other rules find. */
const OTHERS: readonly RowField[] = ['id', 'externalId', 'latitude', 'longitude', 'parentExternalId']
const MAX_READINGS = 4

/**
 * Finds the columns of the fields by their names, if their values fit. Without a column of the category, all rows have `category`.
 * @param position has the columns of the place, which are no other field
 */
export function findColumns(
  sample: Sample,
  position: Pick<Columns, 'latitude' | 'longitude'>,
  category: string,
): { columns: Columns; choices: Choice[] } {
  const placed = mappedColumns(position)
  const found = ROW_FIELDS.filter((field) => !OTHERS.includes(field)).flatMap((field) => {
    const columns = candidatesOf(sample, field).filter(
      (name) => !placed.some((each) => `${name}.`.startsWith(`${each}.`)),
    )
    return columns[0] === undefined ? [] : [[field, columns] as const]
  })
  const { name, ...others }: Columns = Object.fromEntries(found.map(([field, [column]]) => [field, column]))
  const columns: Columns = { ...(name && { name }), ...position, ...others }
  columns.administrativeAreaCode = withCountry(sample, columns.administrativeAreaCode) ?? { value: 'unknown' }
  columns.categoryCode ??= { value: category }
  const names = found.flatMap(([field, named]) => (field === 'name' ? named : [])).slice(0, MAX_READINGS)
  const readings = names.map((column) => readingOf(sample, 'name', column))
  return {
    columns,
    choices: [
      ...openChoice('name', readings),
      ...LABELLED_FIELDS.flatMap((field) => codeChoice(sample, columns, field)),
    ],
  }
}

function readingOf(sample: Sample, field: string, column: string, rest = ''): Reading {
  return toReading(`the column ${column}${rest}`, sample.example(column), { [field]: column })
}

/** The columns that a field may have: the one of its own name, then by the usual names. */
function candidatesOf(sample: Sample, field: RowField): string[] {
  const { columns, rows } = sample
  // In a file with first names, a column called `name` has those of people.
  const hasPeople = columns.some((name) => isCalled('givenNames', name))
  const isOfPeople = (name: string) => isCalled('people', name) || (hasPeople && isCalled('bareNames', name))
  const named = columnsCalled(field, columns).filter((name) => field !== 'name' || !isOfPeople(name))
  return [...new Set([...columns.filter((name) => name === field), ...named])].filter((name) => {
    const given = rows.filter((row) => cellOf(row, name) !== '')
    return given.filter((row) => !acceptsValue(field, row[name])).length <= MAX_OTHERS * given.length
  })
}

/** Columns with more different values are no codes. */
const MAX_VALUES = 100

/** Says which code all items get if no column has one, and which columns have few different values. */
function codeChoice(sample: Sample, columns: Columns, field: CodeLabel['field']): Choice[] {
  const source = columns[field]
  if (typeof source !== 'object' || !('value' in source)) return []
  const { addressRegion, addressLocality, ...others } = columns
  const used = mappedColumns(others)
  const coded = sample.columns.flatMap((column) => {
    if (used.includes(column) || sample.areDates(column)) return []
    const size = sample.countValues([column])
    const isCode = size >= 2 && size <= Math.min(MAX_VALUES, sample.texts(column).length / 2)
    return isCode ? [readingOf(sample, field, column, `, with ${size} values`)] : []
  })
  const own = toReading('no column is called so', textOf(source.value), { [field]: source })
  return openChoice(field, [own, ...coded].slice(0, MAX_READINGS))
}

/** A few rows may have a wrong country. */
const MAX_SHARED = 1.1

/** Puts the country before the codes of areas if other countries use the same codes for their own areas, for example `06`. */
function withCountry(sample: Sample, area: ColumnSource | undefined): ColumnSource | undefined {
  const country = sample.columns.find((name) => isCalled('country', name))
  if (typeof area !== 'string' || country === undefined || country === area) return area
  const areShared = sample.countValues([area, country]) > MAX_SHARED * sample.countValues([area])
  return areShared ? { template: `{${country}}-{${area}}` } : area
}

/**
 * Completes a mapping that has its identity: parents, keywords, the columns that no field has as extra attributes, and a default for codes.
 * @param blank has the columns that are blank in some rows
 */
export function completeColumns(sample: Sample, columns: Columns, blank: ReadonlySet<string>): Columns {
  const parentExternalId = parentOf(sample, columns)
  const complete = { ...columns, ...(parentExternalId && { parentExternalId }) }
  const keywords = keywordsOf(sample, complete)
  const { extraAttributes = othersOf(sample, complete), keywords: _, ...rest } = complete
  for (const field of LABELLED_FIELDS) {
    const column = rest[field]
    if (typeof column === 'string' && blank.has(column)) rest[field] = { column, default: 'unknown' }
  }
  return { ...rest, ...(keywords && { keywords }), ...(extraAttributes && { extraAttributes }) }
}

/** The column of parents, if it has values of the column that identifies a row. */
function parentOf(sample: Sample, { externalId }: Columns): string | undefined {
  const ids = new Set(typeof externalId === 'string' ? sample.texts(externalId) : [])
  const isParent = (name: string) => name === 'parentExternalId' || sample.texts(name).some((text) => ids.has(text))
  return candidatesOf(sample, 'parentExternalId').find(isParent)
}

/** The columns that no field has as a whole. An object is one, or each of its members. */
function othersOf({ columns, objects }: Sample, mapped: Columns): string[] | undefined {
  const used = Object.entries(mapped).flatMap(([field, source]) =>
    typeof source === 'string' || 'degrees' in source ? columnsOfField(mapped, field) : [],
  )
  const outerOf = (column: string) => objects.filter((name) => column.startsWith(`${name}.`))
  const isWhole = (column: string) => !objects.includes(column) || !used.some((each) => each.startsWith(`${column}.`))
  const others = columns.filter((column) => !used.includes(column) && isWhole(column) && !outerOf(column).some(isWhole))
  return others.length > 0 ? others : undefined
}

/** People search for a code that is no longer than this. */
const MAX_CODE_LENGTH = 20
/** Many rows share the code of a type. */
const MAX_REPEATED = 0.1

/** The columns of codes that name a place, such as those of IATA, before those of the keywords. */
function keywordsOf(
  sample: Sample,
  { keywords, id, externalId, extraAttributes, ...facts }: Columns,
): Columns['keywords'] {
  const used = mappedColumns(facts)
  const codes = sample.columns.filter((column) => {
    if (!isCalled('codes', column) || isCalled('country', column) || used.includes(column)) return false
    const texts = sample.texts(column)
    const repeated = texts.length - new Set(texts).size
    return repeated <= MAX_REPEATED * texts.length && texts.every((text) => text.length <= MAX_CODE_LENGTH)
  })
  return codes.length > 0 ? [...codes, ...(typeof keywords === 'string' ? [keywords] : [])] : keywords
}

/** Words that say that a column has codes, and that one has their names. */
const CODE_WORD = /[\s_-]*(코드|code|cd|コード|代码|kennziffer|schlüssel|nr)$/i
const LABEL_WORD = /^[\s_-]*(명|명칭|name|nm|label|desc(ription)?|bezeichnung|title|名|名称)?$/i

/** Returns the columns that may name the codes of fields, by their names: `제공기관명` for `제공기관코드`. */
export function findLabels({ columns }: Sample, mapped: Columns): LabelCheck[] {
  return LABELLED_FIELDS.flatMap((field) => {
    const code = mapped[field]
    if (typeof code !== 'string') return []
    const stem = code.replace(CODE_WORD, '')
    const isLabel = (column: string) => column.startsWith(stem) && LABEL_WORD.test(column.slice(stem.length))
    const label = columns.find((column) => column !== code && isLabel(column))
    return stem === code || stem === '' || label === undefined ? [] : [new LabelCheck(field, code, label)]
  })
}

/** Finds out whether each code has one name, and each name one code. */
class LabelCheck {
  readonly field: CodeLabel['field']
  readonly label: string
  isOneToOne = true
  readonly #code: string
  readonly #labels = new Map<string, string>()
  readonly #codes = new Map<string, string>()

  constructor(field: CodeLabel['field'], code: string, label: string) {
    this.field = field
    this.#code = code
    this.label = label
  }

  see(row: Fields): void {
    const [code, label] = [cellOf(row, this.#code), cellOf(row, this.label)]
    const [known, knownCode] = [this.#labels.get(code) ?? label, this.#codes.get(label) ?? code]
    this.isOneToOne &&= code !== '' && label !== '' && known === label && knownCode === code
    if (!this.isOneToOne) return
    this.#labels.set(code, label)
    this.#codes.set(label, code)
  }
}
