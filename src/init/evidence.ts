import { basename } from 'node:path'
import { textOf } from '../rows/column-mapping.ts'
import { COUNTRY_NAME, matches } from './column-names.ts'
import { allCountries, type Country } from './country.ts'
import type { Sample } from './guess-columns.ts'
import data from './usual-systems.json' with { type: 'json' }

/** What may say where the places of a file are. */
export interface Evidence {
  /** The names of the columns and of the file. */
  names: readonly string[]
  /** The text of the first rows, and the names of the countries whose codes they have. */
  text: string
}

/** Rows whose text may name a country. */
const TEXT_ROWS = 100
const TEXT_LENGTH = 500

/** Returns what the first rows and the names of a file say. */
export function evidenceOf(path: string, { columns, rows }: Sample): Evidence {
  const first = rows.slice(0, TEXT_ROWS)
  const texts = first.flatMap((row) => columns.map((column) => textOf(row[column]).slice(0, TEXT_LENGTH)))
  const coded = columns.filter((column) => matches(COUNTRY_NAME, column))
  const codes = new Set(first.flatMap((row) => coded.map((column) => textOf(row[column]).trim().toUpperCase())))
  const countries = allCountries().filter((country) => country.codes.some((code) => codes.has(code)))
  return { names: [...columns, basename(path)], text: [...texts, ...countries.map(({ name }) => name)].join(' ') }
}

/** The usual systems of a language, the more usual first; its countries; and what speaks for it in the names or in the text. */
const LANGUAGES = data.spoken.map(({ countries, names, letters, numbers }) => ({
  ...{ countries, numbers },
  names: names === undefined ? undefined : new RegExp(names, 'iu'),
  letters: letters === undefined ? undefined : new RegExp(letters, 'iu'),
}))

/** Returns the languages that a file seems to be in. */
export function spokenIn({ names, text }: Evidence): typeof LANGUAGES {
  return LANGUAGES.filter((each) => names.some((name) => each.names?.test(name)) || each.letters?.test(text) === true)
}

/** Languages in which files name countries. */
const NAMED_IN = 'en de fr es it pt nl sv da nb fi is pl cs sk sl hr sr hu ro bg el tr ru uk et lv lt he ar fa ko ja zh'

/** Returns how surely a file is about a country: 2 if it names the country, 1 if it is in a language of the country, else 0. */
export function countryRanking(evidence: Evidence): (country: Country | undefined) => number {
  const words = wordsOf(`${evidence.text} ${evidence.names.join(' ')}`)
  const spoken = spokenIn(evidence).flatMap(({ countries }) => countries)
  const namesOf = NAMED_IN.split(' ').map((language) => new Intl.DisplayNames(language, { type: 'region' }))
  return (country) => {
    if (!country) return 0
    const [code] = country.codes
    const names = [country.name, ...(code === undefined ? [] : namesOf.map((each) => each.of(code) ?? country.name))]
    if (names.some((name) => words.includes(wordsOf(name)))) return 2
    return code !== undefined && spoken.includes(code) ? 1 : 0
  }
}

/** The words of a text, with a space around each. */
function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .join(' ')} `
}
