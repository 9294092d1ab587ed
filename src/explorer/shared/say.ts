import { AT_LEAST, number } from './format.ts'
import { language } from './language.ts'
import { t } from './text.ts'

/*
 * Messages with values.
 */

type Values = Readonly<Record<string, string | number>>

/** Fills a message: `{name}` gets the value of that name. Numbers are written as the language does. */
export function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? number(value) : value
  })
}

const plurals = new Intl.PluralRules(language)

/** Fills the message for a number, `{n}`. `more` follows the number: `AT_LEAST`, or nothing. */
export function fillNumber(
  messages: { one: string; other: string },
  n: number,
  { more = '', ...values }: Values = {},
): string {
  return fill(plurals.select(n) === 'one' ? messages.one : messages.other, { ...values, n: number(n) + more })
}

/** For example `27 places`, or `50+ places` if there are at least so many. */
export function places(total: number, isLeast = false): string {
  return fillNumber(t.places, total, { more: isLeast ? AT_LEAST : '' })
}
