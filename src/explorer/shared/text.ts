import de from '../messages/de.json' with { type: 'json' }
import en from '../messages/en.json' with { type: 'json' }
import ko from '../messages/ko.json' with { type: 'json' }
import { chosenLanguage, type Language, language, locale } from './language.ts'

/*
 * What the page says, in its language: messages, those with values, numbers and dates. All tables have the messages of the English one, in
 * its shape.
 */

type Messages = typeof en
export const MESSAGES: Readonly<Record<Language, Messages>> = { de, en, ko }
export const t: Messages = MESSAGES[language]

/** Gives the texts of the page's HTML their language: `data-t` names a message, `data-t-…` that of an attribute. */
export function translatePage(): void {
  document.documentElement.lang = language
  if (chosenLanguage)
    for (const home of document.querySelectorAll<HTMLAnchorElement>('a[data-home]')) home.search = `lang=${language}`
  const texts: Readonly<Record<string, unknown>> = t
  for (const marked of document.querySelectorAll<HTMLElement>(
    '[data-t], [data-t-aria-label], [data-t-placeholder], [data-t-title]',
  )) {
    for (const { name, value } of marked.attributes) {
      if (name === 'data-t') marked.textContent = String(texts[value])
      else if (name.startsWith('data-t-')) marked.setAttribute(name.slice('data-t-'.length), String(texts[value]))
    }
  }
}

type Values = Readonly<Record<string, string | number>>

/** Fills a message: `{name}` gets the value of that name. Numbers are written as the language does. */
export function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? number(value) : value
  })
}

const plurals = new Intl.PluralRules(language)

/** Fills the message for a number, `{n}`, which has a text for one and a text for others. `more` follows the number. */
export function fillNumber(
  messages: { one: string; other: string },
  n: number,
  { more = '', ...values }: Values = {},
): string {
  return fill(plurals.select(n) === 'one' ? messages.one : messages.other, { ...values, n: number(n) + more })
}

/** For example `27 places`, or `50+ places` if there are at least so many. */
export function places(total: number, isLeast = false): string {
  return fillNumber(t.places, total, { more: isLeast ? '+' : '' })
}

/** For example `1,234`. */
export function number(value: number): string {
  return value.toLocaleString(locale)
}

/** The day of a time in UTC, for example `August 5, 2026`. */
export function day(time: string): string {
  return new Date(time).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' })
}

/** A distance in metres, for example `46 m` or `1.24 km`. */
export function distance(metres: number): string {
  const [value, unit, digits] = metres < 1000 ? [metres, 'meter', metres < 10 ? 1 : 0] : [metres / 1000, 'kilometer', 2]
  return value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits: digits })
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte']

/** The size of a file that is known, for example ` (12 kB)` or ` (about 1.4 MB)`. */
export function sizeText(file: { bytes: number; isExact: boolean } | undefined): string {
  if (!file) return ''
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, file.bytes)) / 3))
  const form = { style: 'unit', unit: SIZES[step], maximumSignificantDigits: 2 } as const
  const size = (file.bytes / 1000 ** step).toLocaleString(locale, form)
  return ` (${file.isExact ? size : fill(t.aboutSize, { size })})`
}

/** Degrees with two decimals, for example `33.10`. */
export function degrees(value: number): string {
  return Math.abs(value).toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** A share, for example `15%`. */
export function percent(share: number): string {
  return share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: share < 0.01 ? 1 : 0 })
}
