import { isUuid } from '../catalog/arguments.ts'
import { shorten } from '../errors/errors.ts'
import { mappedColumns, textOf } from '../rows/column-mapping.ts'
import type { Fields } from '../rows/formats/source.ts'
import type { Columns } from '../rows/manifest.ts'
import { type Choice, openChoice, type Reading, toReading } from './choice.ts'
import { isCalled } from './header-names.ts'
import { cellOf, MAX_OTHERS, type Sample } from './sample.ts'

/** Row numbers shift when the file is published again, so a column of them comes last. */
const RANKS = { own: 0, referred: 1, named: 2, counting: 3, together: 4, counter: 5 }

/** With a larger share of repeated rows, columns do not name an item. */
const MAX_REPEATED = 0.1

/** What may name the items of a file. It counts the rows that repeat it or have none. */
class Identity {
  readonly columns: Pick<Columns, 'id' | 'externalId'>
  /** Why it may, and what that means. */
  readonly why: string
  /** The columns that name an item together; several of these if each may name it. */
  readonly keys: readonly (readonly string[])[]
  readonly rank: number
  repeated = 0
  #blank = 0
  #rows = 0
  readonly #seen = new Set<string>()

  constructor(rank: keyof typeof RANKS, columns: Identity['columns'], keys: Identity['keys'], why: string) {
    this.rank = RANKS[rank]
    this.columns = columns
    this.keys = keys
    this.why = why
  }

  see(row: Fields): void {
    const given = this.keys
      .map((columns, index) => [index, ...columns.map((column) => cellOf(row, column))])
      .filter(([, ...texts]) => texts.some((text) => text !== ''))
    const isNew = given.map((key) => this.#seen.size < this.#seen.add(JSON.stringify(key)).size)
    this.#rows += 1
    if (isNew.includes(false)) this.repeated += 1
    if (given.length === 0) this.#blank += 1
  }

  /** Whether no row repeats it, and nearly all have it: an import reports the others. */
  get isUnique(): boolean {
    return this.repeated === 0 && this.#blank < this.#rows / 2 && this.#blank <= Math.max(1, MAX_OTHERS * this.#rows)
  }

  get isNearlyUnique(): boolean {
    return this.repeated + this.#blank < MAX_REPEATED * this.#rows
  }

  get areTogether(): boolean {
    return this.rank === RANKS.together
  }

  /** Whether it may name the items: it is unique or nearly so, or called like a key, and at most half of the rows repeat it. */
  get isPossible(): boolean {
    const isNearlyKey = this.rank < RANKS.together && this.repeated <= this.#rows / 2
    return this.isUnique || this.isNearlyUnique || isNearlyKey
  }
}

/** Returns what may name the items, the better first. */
export function findIdentities(sample: Sample, columns: Columns): Identity[] {
  const used = [...mappedColumns(columns), ...sample.objects]
  const mayBeKey = (column: string) =>
    !used.includes(column) &&
    !isCalled('country', column) &&
    !sample.areDates(column) &&
    // Only a column that is called like an identity may lack a value in some rows.
    (isCalled('ids', column) ||
      (isKeyName(column) && sample.texts(column).length === sample.rows.length) ||
      isCalled('counters', column) ||
      referringTo(sample, column) !== undefined)
  const candidates = [
    ...ownIdentities(sample),
    ...sample.columns.filter(mayBeKey).map((column) => keyOf(sample, column)),
    ...columnsTogether(sample, columns),
  ]
  return candidates.sort((one, two) => one.rank - two.rank)
}

/** Whether a column is called like a number or code, such as `Standort-Nr.`, but not of a telephone or an address. */
function isKeyName(column: string): boolean {
  return (
    (isCalled('keys', column) || /[\s_-]no\.?$|^(id|code|c[oó]digo|kod|num[eé]ro)[\s_-]/i.test(column)) &&
    !isCalled('noKeys', column)
  )
}

/** The columns that are called `id` and `externalId`, together or each. */
function ownIdentities(sample: Sample): Identity[] {
  if (!sample.columns.includes('id') || !areUuids(sample, 'id')) return []
  const both = sample.columns.includes('externalId') ? [['id', 'externalId']] : []
  return [...both, ['id']].map((names) => {
    const columns = Object.fromEntries(names.map((name) => [name, name]))
    const keys = names.map((name) => [name])
    return new Identity('own', columns, keys, `the file has ${names.join(' and ')}`)
  })
}

const areUuids = (sample: Sample, column: string) => sample.texts(column).every(isUuid)

function keyOf(sample: Sample, column: string): Identity {
  const columns = areUuids(sample, column) ? { id: column } : { externalId: column }
  const key = (rank: keyof typeof RANKS, why: string) => new Identity(rank, columns, [[column]], why)
  const referring = referringTo(sample, column)
  if (referring !== undefined) return key('referred', `${referring} refers to ${column}`)
  const counts = `${column} counts the rows; right only if each place keeps its number in the next publication`
  if (isCalled('counters', column)) return key('counter', counts)
  const texts = sample.texts(column)
  const countsRows = texts.length > 1 && texts.every((text, index) => text === String(Number(texts[0]) + index))
  return countsRows
    ? key('counting', counts)
    : key('named', `${column} is different in every row; it must never change`)
}

/** A column whose values are all those of another one, and which is called like a reference. */
function referringTo(sample: Sample, column: string): string | undefined {
  const referring = sample.columns.filter((name) => name !== column && isCalled('referring', name))
  const values = new Set(referring.length > 0 ? sample.texts(column) : [])
  return referring.find((name) => sample.texts(name).length > 0 && sample.texts(name).every((text) => values.has(text)))
}

/** The name with other columns of the place. Only events need their start: they have the same name and place each year. */
function columnsTogether(sample: Sample, columns: Columns): Identity[] {
  const { name, streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude } = columns
  if (typeof name !== 'string') return []
  const start = sample.columns.find((column) => isCalled('starts', column) && sample.areDates(column))
  const steps = [[streetAddress], [administrativeAreaCode], [jibunAddress], [latitude, longitude]].map((sources) =>
    sources.filter((source) => typeof source === 'string'),
  )
  const chains = [[[name], ...steps], ...(start === undefined ? [] : [[[name], [start], ...steps]])]
  const all = chains.flatMap((chain) => chain.map((_, index) => [...new Set(chain.slice(0, index + 1).flat())]))
  return all.map((parts) => {
    const why =
      parts.length === 1
        ? `only the name ${name} tells places apart. A place that is renamed becomes a new one`
        : `no column tells places apart, but ${parts.join(', ')} do together. A place that changes one of them becomes a new one`
    const template = parts.map((part) => `{${part}}`).join('|')
    return new Identity('together', { externalId: { template } }, [parts], why)
  })
}

/** Other identities that are shown. */
const MAX_READINGS = 5
const MAX_EXAMPLE_LENGTH = 60

/** Takes the first that is unique in all rows, or else nearly; and shows the others. */
export function chooseIdentity(
  candidates: readonly Identity[],
  sample: Sample,
): { identity: Identity; choices: Choice[] } | undefined {
  const possible = candidates.filter(({ isPossible }) => isPossible)
  // A file may have a few rows twice by mistake, which an import refuses.
  const nearly = possible.filter(({ isNearlyUnique, areTogether }) => isNearlyUnique && areTogether)
  const [fewest] = nearly.sort((one, two) => one.repeated - two.repeated)
  const chosen = possible.find(({ isUnique }) => isUnique) ?? fewest
  if (!chosen) return undefined
  // A good key needs no comparison with columns together, or with keys that repeat.
  const isGood = chosen.rank < RANKS.counting
  const shortest = possible.find(({ isUnique, areTogether }) => isUnique && areTogether)
  const others = possible.filter((each) => {
    if (each === chosen || (each.areTogether && (isGood || each !== shortest))) return false
    return each.isUnique || (!isGood && each.rank < RANKS.together)
  })
  const readings = [chosen, ...others].map((each) => readingOf(each, sample)).slice(0, MAX_READINGS)
  return { identity: chosen, choices: isGood ? openChoice('identity', readings) : [{ what: 'identity', readings }] }
}

function readingOf({ columns, why, keys, repeated, areTogether }: Identity, { rows: [first = {}] }: Sample): Reading {
  const example = keys.map((key) => key.map((column) => textOf(first[column])).join('|')).join(', ')
  const isKey = keys[0]?.length === 1 && !areTogether
  const wrong = `${repeated} ${repeated === 1 ? 'row repeats' : 'rows repeat'} another`
  const choice = repeated === 0 ? why : isKey ? `${keys[0]} is no key: ${wrong}` : `${why}. ${wrong}`
  return toReading(choice, shorten(example, MAX_EXAMPLE_LENGTH), columns)
}
