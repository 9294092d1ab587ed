/** The place of a digit in a format (`0` always has one, `#` and `?` only if the number has) or a text. */
export type Part = { place: string } | { text: string }

/** How a number is shown. */
export type NumberKind =
  /** As a quantity: how it looks depends on the reader's country, so it is read as it is stored. */
  | { kind: 'number' }
  /** With neither a date nor a time, the format depends on the country, and the value decides. */
  | { kind: 'time'; hasDate: boolean; hasTime: boolean }
  /** A duration, of more than a day too. */
  | { kind: 'hours' }
  /** As the digits of a postal code or telephone number, with zeros before them, or texts. */
  | { kind: 'code'; parts: readonly Part[] }

/** How a format shows the numbers that its condition holds for, or else those of its place among the sections. */
interface Section {
  condition: ((value: number) => boolean) | undefined
  shown: NumberKind
}

/** A number format (ECMA-376, part 1, 18.8.31): one section, or those for positive numbers, negative numbers and 0. */
export type NumberFormat = readonly Section[]

/** Returns how a format shows numbers. The code is undefined for a format that is known by its number alone. */
export function parseFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return [{ condition: undefined, shown: kindOfBuiltIn(id) }]
  const sections = splitSections(code.slice(0, MAX_LENGTH))
    .filter((tokens) => !codesOf(tokens).includes('@'))
    .map((tokens, index) => ({ condition: conditionOf(tokens), shown: kindOfSection(tokens, index === 1) }))
  // A quantity may show 0 as a dash, or not at all.
  if (sections[0]?.shown.kind === 'code') return sections
  return sections.map((each) => (isWithoutDigits(each.shown) ? { ...each, shown: NUMBER } : each))
}

const NUMBER: NumberKind = { kind: 'number' }

/** Formats that have a number and no code in the file (ECMA-376, part 1, 18.8.30). */
function kindOfBuiltIn(id: number): NumberKind {
  if (id === 46) return { kind: 'hours' }
  const isOfCountry = (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81)
  const hasDate = (id >= 14 && id <= 17) || id === 22
  const hasTime = (id >= 18 && id <= 22) || id === 45 || id === 47
  return isOfCountry || hasDate || hasTime ? { kind: 'time', hasDate, hasTime } : NUMBER
}

/** Excel has no longer formats. */
const MAX_LENGTH = 255

/** A part of a format: a code with a meaning, something in brackets, or a text. */
type Token = { code: string } | { bracket: string } | { text: string }

/** No alternative can fail after it has read more than a character, so a search takes time in proportion to the length. */
const TOKEN =
  /"(?<quoted>[^"]*)(?:"|$)|\\(?<escaped>.?)|(?<space>_.?)|(?<fill>\*.?)|\[(?<bracket>[^\]]*)(?:\]|$)|(?<code>General|AM\/PM|A\/P|E[+-]|[0#?.,%/@;ymdhsaeb])|(?<other>.)/gisu

function splitSections(format: string): Token[][] {
  const sections: Token[][] = [[]]
  for (const { groups = {} } of format.matchAll(TOKEN)) {
    const { code, bracket, space, fill, quoted, escaped, other } = groups
    if (code === ';') sections.push([])
    else if (code !== undefined) sections.at(-1)?.push({ code })
    else if (bracket !== undefined) sections.at(-1)?.push({ bracket })
    else if (fill === undefined) sections.at(-1)?.push({ text: space ? ' ' : (quoted ?? escaped ?? other ?? '') })
  }
  return sections
}

const codesOf = (tokens: readonly Token[]) => tokens.flatMap((token) => ('code' in token ? token.code : []))
const bracketsOf = (tokens: readonly Token[]) => tokens.flatMap((token) => ('bracket' in token ? token.bracket : []))

const CONDITION = /^(<=|>=|<>|<|>|=)(-?\d{1,20}(?:\.\d{1,20})?)$/

function conditionOf(tokens: readonly Token[]): Section['condition'] {
  const [, sign = '', limit] = bracketsOf(tokens).flatMap((text) => CONDITION.exec(text) ?? [])
  if (limit === undefined) return undefined
  const order = (value: number) => Math.sign(value - Number(limit))
  const accepted = { '<': [-1], '<=': [-1, 0], '=': [0], '>=': [0, 1], '>': [1], '<>': [-1, 1] }[sign] ?? []
  return (value) => accepted.includes(order(value))
}

function kindOfSection(tokens: readonly Token[], isNegative: boolean): NumberKind {
  const codes = codesOf(tokens)
  const letters = codes.filter((code) => code.length === 1).join('')
  if (bracketsOf(tokens).some((text) => /^(h+|m+|s+)$/i.test(text))) return { kind: 'hours' }
  const hasTime = /[hs]/i.test(letters) || codes.some((code) => /^a.*p/i.test(code))
  const hasDate = /[ydeb]|mmm|aaa/i.test(letters) || (!hasTime && /m/i.test(letters))
  if (hasDate || hasTime) return { kind: 'time', hasDate, hasTime }
  const isQuantity = codes.some((code) => /^([.,%/]|E.)$/i.test(code)) || hasCurrency(tokens)
  return isQuantity ? NUMBER : kindOfDigits(tokens.flatMap(toPart), isNegative)
}

function hasCurrency(tokens: readonly Token[]): boolean {
  const isSymbol = (token: Token) => 'text' in token && /\p{Sc}/u.test(token.text)
  return tokens.some(isSymbol) || bracketsOf(tokens).some((text) => /^\$[^-]/.test(text))
}

function toPart(token: Token): Part[] {
  if ('bracket' in token) return []
  if ('text' in token) return [token]
  // All digits of a number that is shown in no special way have one place.
  return [/^(general|[0#?])$/i.test(token.code) ? { place: token.code.replace(/general/i, '0') } : { text: token.code }]
}

const textOf = (parts: readonly Part[]) => parts.map((part) => ('text' in part ? part.text : '')).join('')

function kindOfDigits(parts: readonly Part[], isNegative: boolean): NumberKind {
  const places = parts.flatMap((part) => ('place' in part ? part.place : []))
  const first = parts.findIndex((part) => 'place' in part)
  const last = parts.findLastIndex((part) => 'place' in part)
  const fewestDigits = places.includes('0') ? places.length - places.indexOf('0') : 0
  const inner = textOf(parts.slice(first, last))
  const outer = textOf([...parts.slice(0, Math.max(first, 0)), ...parts.slice(last + 1)])
  // Spaces separate thousands, unless each digit has its place as in a telephone number. Brackets are a minus sign.
  const isGrouped = inner === '' || (inner.trim() === '' && fewestDigits === 1)
  const isPlain = isGrouped && fewestDigits <= 1 && outer.replace(isNegative ? /[-()\s]/g : /\s/g, '') === ''
  return isPlain ? NUMBER : { kind: 'code', parts }
}

function isWithoutDigits(shown: NumberKind): boolean {
  return shown.kind === 'code' && !shown.parts.some((part) => 'place' in part)
}
