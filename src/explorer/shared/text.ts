import { chosenLanguage, language } from './language.ts'
import { MESSAGES, type Messages } from './messages.ts'

/*
 * The messages of the page in its language.
 */

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
