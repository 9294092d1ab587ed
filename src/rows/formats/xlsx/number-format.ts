/** What a cell shows, and the number that it shows as a code. */
export type CellValue = string | number | { code: string; number: number }

/**
 * Returns what a cell shows for its number: dates as `2026-01-31`, times as `09:00`, and codes as `02139`. How quantities look depends on the
 * reader's country, so they stay numbers with all of their digits.
 */
export type NumberFormat = (value: number) => CellValue

/** Returns a format that has a number and no code in the file (ECMA-376, part 1, 18.8.30). */
export function builtInFormat(id: number, startsIn1904: boolean): NumberFormat {
  if (id === 46) return showHours
  const isOfCountry = (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81)
  const hasDate = (id >= 14 && id <= 17) || id === 22
  const hasTime = (id >= 18 && id <= 22) || id === 45 || id === 47
  if (hasDate || hasTime) return (value) => showTime(value, { hasDate, hasTime, startsIn1904 })
  if (!isOfCountry) return (value) => value
  // Each country has its own format, so the value decides.
  return (value) => showTime(value, { hasDate: value >= 1, hasTime: !Number.isInteger(value), startsIn1904 })
}

/** Excel has no longer formats. */
const MAX_LENGTH = 255

/** Parses the code of a format (18.8.31): one section, those for positive numbers, negative numbers and 0, or some with conditions. */
export function parseFormat(code: string, startsIn1904: boolean): NumberFormat {
  const all = splitSections(code.slice(0, MAX_LENGTH)).filter((tokens) => !tokens.some((token) => token.code === '@'))
  const showTimes = all.map((tokens) => findTime(tokens, startsIn1904))
  const isCode = all[0] !== undefined && !showTimes[0] && !isQuantity(all[0], false)
  const sections = all.map((tokens, index) => {
    const condition = findCondition(tokens)
    // The section of 0 may show a quantity as a dash, or not at all.
    const isPlain = isQuantity(tokens, index === 1) || !(isCode || placesOf(tokens).length > 0)
    // Sections for negative numbers alone have their own sign.
    const sign = index === 0 && (condition?.(1) ?? true) ? '-' : ''
    const show: NumberFormat = showTimes[index] ?? ((value) => (isPlain ? value : showCode(tokens, value, sign)))
    return { condition, show }
  })
  const hasConditions = sections.some(({ condition }) => condition)
  const sectionOf = (value: number) => sections[value < 0 ? 1 : value === 0 ? 2 : 0] ?? sections[0]
  return (value) => {
    const fitting = () => sections.find(({ condition }) => condition?.(value) ?? true)
    return (hasConditions ? fitting() : sectionOf(value))?.show(value) ?? value
  }
}

/** A part of a format: the place of a digit (`0` always has one, `#` and `?` only if the number has), a text, a code, or what is in brackets. */
type Token = Partial<Record<'place' | 'text' | 'code' | 'bracket', string>>

/** No alternative can fail after it has read more than a character, so a search takes time in proportion to the length. */
const TOKEN =
  /"(?<quoted>[^"]*)(?:"|$)|\\(?<escaped>.?)|(?<space>_.?)|\*.?|\[(?<bracket>[^\]]*)(?:\]|$)|(?<place>General|[0#?])|(?<code>AM\/PM|A\/P|E[+-]|[.,%/@;ymdhsaeb])|(?<other>.)/gisu

function splitSections(format: string): Token[][] {
  const sections: Token[][] = [[]]
  for (const { groups = {} } of format.matchAll(TOKEN)) {
    const { quoted, escaped, space, other, place, ...token } = groups
    const text = quoted ?? escaped ?? (space ? ' ' : other)
    // All digits of a number that is shown in no special way have one place.
    const digit = place?.replace(/general/i, '0')
    if (token.code === ';') sections.push([])
    else sections.at(-1)?.push({ ...token, ...(digit && { place: digit }), ...(text !== undefined && { text }) })
  }
  return sections
}

const CONDITION = /^(<=|>=|<>|<|>|=)(-?\d{1,20}(?:\.\d{1,20})?)$/

function findCondition(tokens: readonly Token[]): ((value: number) => boolean) | undefined {
  const [, sign = '', limit] = tokens.flatMap(({ bracket = '' }) => CONDITION.exec(bracket) ?? [])
  if (limit === undefined) return undefined
  const accepted = { '<': [-1], '<=': [-1, 0], '=': [0], '>=': [0, 1], '>': [1], '<>': [-1, 1] }[sign] ?? []
  return (value) => accepted.includes(Math.sign(value - Number(limit)))
}

function findTime(tokens: readonly Token[], startsIn1904: boolean): NumberFormat | undefined {
  const codes = tokens.flatMap(({ code }) => code ?? [])
  const letters = codes.filter((code) => code.length === 1).join('')
  if (tokens.some(({ bracket = '' }) => /^(h+|m+|s+)$/i.test(bracket))) return showHours
  const hasTime = /[hs]/i.test(letters) || codes.some((code) => /^a.*p/i.test(code))
  const hasDate = /[ydeb]|mmm|aaa/i.test(letters) || (!hasTime && /m/i.test(letters))
  return hasDate || hasTime ? (value) => showTime(value, { hasDate, hasTime, startsIn1904 }) : undefined
}

const placesOf = (tokens: readonly Token[]) => tokens.flatMap(({ place }) => place ?? [])
const textOf = (tokens: readonly Token[]) => tokens.map(({ text, code }) => text ?? code ?? '').join('')

/** The number of digits that are shown of every number. */
function fewestDigits(places: readonly string[]): number {
  return places.includes('0') ? places.length - places.indexOf('0') : 0
}

function isQuantity(tokens: readonly Token[], isNegative: boolean): boolean {
  const isSign = ({ code = '', bracket = '', text = '' }: Token) =>
    /^([.,%/]|E.)$/i.test(code) || /^\$[^-]/.test(bracket) || /\p{Sc}/u.test(text)
  if (tokens.some(isSign)) return true
  const first = tokens.findIndex(({ place }) => place)
  const last = tokens.findLastIndex(({ place }) => place)
  const fewest = fewestDigits(placesOf(tokens))
  const inner = textOf(tokens.slice(first, last))
  const outer = textOf([...tokens.slice(0, Math.max(first, 0)), ...tokens.slice(last + 1)])
  // Spaces separate thousands, unless each digit has its place as in a telephone number. Brackets are a minus sign.
  const isGrouped = inner === '' || (inner.trim() === '' && fewest === 1)
  return isGrouped && fewest <= 1 && outer.replace(isNegative ? /[-()\s]/g : /\s/g, '') === ''
}

/** Puts each digit at its place, from the right. The first place has all that are left, and the last one the decimals too. */
function showCode(tokens: readonly Token[], value: number, sign: string): CellValue {
  const [, whole = '', decimals = ''] = /^(?:0|(\d+))(\.\d+)?$/.exec(String(Math.abs(value))) ?? []
  // A number with an exponent.
  if (whole + decimals === '' && value !== 0) return value
  const places = placesOf(tokens)
  const digits = whole.padStart(fewestDigits(places), '0')
  const shown = places.map((place, index) => {
    const end = digits.length - places.length + index + 1
    const digit = end > 0 ? digits.slice(index === 0 ? 0 : end - 1, end) : place === '?' ? ' ' : ''
    return index === places.length - 1 ? digit + decimals : digit
  })
  const code = tokens.map((token) => (token.place ? shown.shift() : textOf([token]))).join('')
  return { code: (value < 0 ? sign : '') + code.trim(), number: value }
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
/** The days from 1899-12-30, from which dates are counted, to 1970 and to 1904. */
const DAYS_TO_1970 = 25_569
const DAYS_TO_1904 = 1_462
/** Excel counts a 29 February 1900, which did not exist, so the number of an earlier day is one too small. */
const FIRST_RIGHT_DAY = 61

/** Returns a number of days as `2026-01-31`, `09:00` or `2026-01-31T09:00:00`. One that is no date stays as it is. */
function showTime(
  value: number,
  { hasDate, hasTime, startsIn1904 }: Readonly<Record<'hasDate' | 'hasTime' | 'startsIn1904', boolean>>,
): string | number {
  const days = startsIn1904 ? value + DAYS_TO_1904 : value < FIRST_RIGHT_DAY ? value + 1 : value
  const date = new Date(Math.round(((days - DAYS_TO_1970) * DAY_MS) / SECOND_MS) * SECOND_MS)
  if (value < 0 || Number.isNaN(date.getTime())) return value
  const [day = '', rest = ''] = date.toISOString().split('T')
  if (!hasDate) return rest.slice(0, rest.startsWith(':00', 5) ? 5 : 8)
  return hasTime ? `${day}T${rest.slice(0, 8)}` : day
}

/** Returns a duration of days as hours and minutes, and seconds if there are some: `26:00`. A negative one stays as it is. */
function showHours(days: number): string | number {
  if (days < 0) return days
  const seconds = Math.round((days * DAY_MS) / SECOND_MS)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (seconds % 60 === 0) parts.pop()
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,9})?)Z?)?$/

/** Returns the number of a date that a cell has as text (ECMA-376, part 1, 18.18.11); undefined for other text. */
export function parseMoment(text: string, startsIn1904: boolean): number | undefined {
  const [, day, time = '00:00:00'] = MOMENT.exec(text) ?? []
  const days = Date.parse(`${day}T${time}Z`) / DAY_MS + DAYS_TO_1970 - (startsIn1904 ? DAYS_TO_1904 : 0)
  return Number.isFinite(days) ? days : undefined
}
