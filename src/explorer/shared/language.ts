import { SERVER } from './server.ts'

/*
 * The language of the explorer and of a frame: that of the address (`lang`), or the first of the browser's that has a table of messages. The pages for
 * developers are in English.
 */

export const LANGUAGES = { en: 'English', ko: '한국어', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(LANGUAGES, name)
}

const address: { href: string; search: string } | undefined = globalThis.location
const path = address?.href.split(/[?#]/)[0]?.slice(SERVER.length) ?? ''
const isTranslated = path === '/' || path.startsWith('/embed/')
const asked = new URLSearchParams(address?.search).get('lang')

/** The language that the address asks for, if there is a table for it. Further addresses ask for it too. */
export const chosenLanguage = isTranslated && isLanguage(asked) ? asked : undefined

const preferred = isTranslated ? navigator.languages : []
const baseOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? ''

export const language: Language = chosenLanguage ?? preferred.map(baseOf).find(isLanguage) ?? 'en'

/** The language with the region of the browser, for numbers and dates. */
export const locale = preferred.find((tag) => baseOf(tag) === language) ?? language
