import { isUuid } from '../catalog/arguments.ts'
import { shorten } from '../errors/errors.ts'
import { columnsOfField, textOf } from '../rows/column-mapping.ts'
import type { Fields } from '../rows/formats/source.ts'
import type { Columns } from '../rows/manifest.ts'
import { type Choice, openChoice, type Reading, written } from './choice.ts'
import { COUNTER_NAME, COUNTRY_NAME, isIdName, isKeyName, matches, REFERRING_NAME, START_NAME } from './header-names.ts'
import { areDates, MAX_OTHERS, objectColumns, type Sample, textsIn } from './sample.ts'

/** What may name the items of a file. */
export interface Identity {
  columns: Pick<Columns, 'id' | 'externalId'>
  /** Why it may, and what that means. */
  why: string
  /** The columns that name an item together; several of these if each may name it. */
  keys: readonly (readonly string[])[]
  rank: number
}

/** What only counts the rows points to neighbours after the next publication, so it comes last. */
const RANKS = { own: 0, referred: 1, named: 2, counting: 3, together: 4, counter: 5 }

/** With a larger share of repeated rows, columns do not name an item. */
const MAX_REPEATED = 0.1

/** Counts the rows that repeat an identity or have none. */
export class IdentityCount {
  readonly identity: Identity
  repeated = 0
  #blank = 0
  #rows = 0
  readonly #seen: readonly Set<string>[]

  constructor(identity: Identity, rows: readonly Fields[] = []) {
    this.identity = identity
    this.#seen = identity.keys.map(() => new Set())
    for (const row of rows) this.see(row)
  }

  see(row: Fields): void {
    const keys = this.identity.keys.map((columns) => columns.map((column) => textOf(row[column]).trim()))
    const given = keys.map((texts) => (texts.some((text) => text !== '') ? JSON.stringify(texts) : undefined))
    const isNew = given.map((key, index) => key === undefined || this.#add(key, index))
    this.#rows += 1
    if (isNew.includes(false)) this.repeated += 1
    if (given.every((key) => key === undefined)) this.#blank += 1
  }

  #add(key: string, index: number): boolean {
    const seen = this.#seen[index]
    return seen !== undefined && seen.size < seen.add(key).size
  }

  /** Whether no row repeats it, and nearly all have it: an import reports the others. */
  get isUnique(): boolean {
    return this.repeated === 0 && this.#blank < this.#rows / 2 && this.#blank <= Math.max(1, MAX_OTHERS * this.#rows)
  }

  /** Whether it is called like a key, and at most half of the rows repeat it. */
  get isNearlyKey(): boolean {
    return this.identity.rank < RANKS.together && this.repeated <= this.#rows / 2
  }

  get isNearlyUnique(): boolean {
    return this.repeated + this.#blank < MAX_REPEATED * this.#rows
  }
}

/** Returns what may name the items by the first rows, the better first. */
export function findIdentities(sample: Sample, columns: Columns): IdentityCount[] {
  const used = [
    ...Object.keys(columns).flatMap((field) => columnsOfField(columns, field)),
    ...objectColumns(sample),
    ...sample.columns.filter((column) => matches(COUNTRY_NAME, column)),
  ]
  const mayBeKey = (column: string) =>
    !used.includes(column) &&
    !areDates(sample, column) &&
    // Only a column that is called like an identity may lack a value in some rows.
    (isIdName(column) ||
      (isKeyName(column) && textsIn(sample, column).length === sample.rows.length) ||
      matches(COUNTER_NAME, column) ||
      referringTo(sample, column) !== undefined)
  const candidates = [
    ...ownIdentities(sample),
    ...sample.columns.filter(mayBeKey).map((column) => keyOf(sample, column)),
    ...columnsTogether(sample, columns),
  ]
  return candidates
    .sort((one, two) => one.rank - two.rank)
    .map((identity) => new IdentityCount(identity, sample.rows))
    .filter((count) => count.isUnique || count.isNearlyUnique || count.isNearlyKey)
}

/** The columns that are called `id` and `externalId`, together or each. */
function ownIdentities(sample: Sample): Identity[] {
  const own = ['id', 'externalId'].filter((name) => sample.columns.includes(name))
  const fitting = own.filter((name) => name !== 'id' || textsIn(sample, name).every(isUuid))
  return [...(fitting.length > 1 ? [fitting] : []), ...fitting.map((name) => [name])].map((names) => ({
    columns: Object.fromEntries(names.map((name) => [name, name])),
    why: `the file has ${names.join(' and ')}`,
    keys: names.map((name) => [name]),
    rank: RANKS.own,
  }))
}

function keyOf(sample: Sample, column: string): Identity {
  const columns = textsIn(sample, column).every(isUuid) ? { id: column } : { externalId: column }
  const referring = referringTo(sample, column)
  const key = { columns, keys: [[column]] }
  if (referring !== undefined) return { ...key, why: `${referring} refers to ${column}`, rank: RANKS.referred }
  const isCounter = matches(COUNTER_NAME, column)
  if (!isCounter && !countsRows(sample, column))
    return { ...key, why: `${column} is different in every row; it must never change`, rank: RANKS.named }
  const why = `${column} counts the rows; right only if each place keeps its number in the next publication`
  return { ...key, why, rank: isCounter ? RANKS.counter : RANKS.counting }
}

/** A column whose values are all those of another one, and which is called like a reference. */
function referringTo(sample: Sample, column: string): string | undefined {
  const referring = sample.columns.filter((name) => name !== column && matches(REFERRING_NAME, name))
  const values = new Set(referring.length > 0 ? textsIn(sample, column) : [])
  return referring.find((name) => {
    const texts = textsIn(sample, name)
    return texts.length > 0 && texts.every((text) => values.has(text))
  })
}

/** Whether the numbers of a column follow each other. */
function countsRows(sample: Sample, column: string): boolean {
  const texts = textsIn(sample, column)
  return texts.length > 1 && texts.every((text, index) => text === String(Number(texts[0]) + index))
}

/** The name with other columns of the place. Only events need their start: they have the same name and place each year. */
function columnsTogether(sample: Sample, columns: Columns): Identity[] {
  const { name, streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude } = columns
  if (typeof name !== 'string') return []
  const start = sample.columns.find((column) => matches(START_NAME, column) && areDates(sample, column))
  const steps = [[streetAddress], [administrativeAreaCode], [jibunAddress], [latitude, longitude]].map((sources) =>
    sources.filter((source) => typeof source === 'string'),
  )
  const chains = [[[name], ...steps], ...(start === undefined ? [] : [[[name], [start], ...steps]])]
  const all = chains.flatMap((chain) => chain.map((_, index) => [...new Set(chain.slice(0, index + 1).flat())]))
  return all.map((parts) => together(parts, name))
}

function together(parts: readonly string[], name: string): Identity {
  const why =
    parts.length === 1
      ? `only the name ${name} tells places apart. A place that is renamed becomes a new one`
      : `no column tells places apart, but ${parts.join(', ')} do together. A place that changes one of them becomes a new one`
  return {
    columns: { externalId: { template: parts.map((part) => `{${part}}`).join('|') } },
    why,
    keys: [parts],
    rank: RANKS.together,
  }
}

/** Other identities that are shown. */
const MAX_READINGS = 5
const MAX_EXAMPLE_LENGTH = 60

/** Takes the first that is unique in all rows, or else nearly; and shows the others. */
export function chooseIdentity(
  counts: readonly IdentityCount[],
  sample: Sample,
): { count: IdentityCount; choices: Choice[] } | undefined {
  // A file may have a few rows twice by mistake, which an import refuses.
  const nearly = counts.filter(({ isNearlyUnique, identity: { rank } }) => isNearlyUnique && rank === RANKS.together)
  const [fewest] = nearly.sort((one, two) => one.repeated - two.repeated)
  const chosen = counts.find(({ isUnique }) => isUnique) ?? fewest
  if (!chosen) return undefined
  // A good key needs no comparison with columns together, or with keys that repeat.
  const isGood = chosen.identity.rank < RANKS.counting
  const isShown = ({ isUnique, identity: { rank } }: IdentityCount) =>
    isGood ? isUnique && rank !== RANKS.together : isUnique || rank < RANKS.together
  const [shortest] = counts.filter((count) => count.isUnique && count.identity.rank === RANKS.together)
  const isOther = (count: IdentityCount) => count.identity.rank !== RANKS.together || count === shortest
  const others = counts.filter((count) => count !== chosen && isShown(count) && isOther(count))
  const readings = [chosen, ...others].map((count) => readingOf(count, sample)).slice(0, MAX_READINGS)
  return { count: chosen, choices: isGood ? openChoice('identity', readings) : [{ what: 'identity', readings }] }
}

function readingOf(
  { identity: { columns, why, keys, rank }, repeated }: IdentityCount,
  { rows: [first = {}] }: Sample,
): Reading {
  const example = keys.map((key) => key.map((column) => textOf(first[column])).join('|')).join(', ')
  const [key] = keys
  const isKey = key?.length === 1 && rank !== RANKS.together
  const wrong = `${repeated} ${repeated === 1 ? 'row repeats' : 'rows repeat'} another`
  const choice = repeated === 0 ? why : isKey ? `${key} is no key: ${wrong}` : `${why}. ${wrong}`
  return { choice, example: shorten(example, MAX_EXAMPLE_LENGTH), write: written(columns) }
}
