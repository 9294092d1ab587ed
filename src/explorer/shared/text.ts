import { de } from '../messages/de.ts'
import { en, type Messages } from '../messages/en.ts'
import { ko } from '../messages/ko.ts'
import { chosenLanguage, LANGUAGES, language } from './language.ts'

/*
 * The messages of the page in its language.
 */

export const t: Messages = { en, ko, de }[language]

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

/** Creates the list of languages. A choice opens the same view in that language. */
export function languageChoice(): HTMLSelectElement {
  const list = document.createElement('select')
  list.setAttribute('aria-label', t.language)
  list.append(...Object.entries(LANGUAGES).map(([tag, name]) => new Option(name, tag, false, tag === language)))
  list.addEventListener('change', () => {
    const address = new URL(location.href)
    address.searchParams.set('lang', list.value)
    location.assign(address)
  })
  return list
}
