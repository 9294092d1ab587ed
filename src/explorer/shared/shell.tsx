import { type ComponentChildren, render } from 'preact'
import { byId } from './element.ts'
import { startKeyField } from './key-field.ts'
import { LANGUAGES, language } from './language.ts'
import { t, translatePage } from './text.ts'

/*
 * What all pages share: the bar with the field for the key.
 */

/** Starts the bar. No other script may run before, because it could read the key in the address. `tools` stand in the bar. */
export function startShell(tools?: ComponentChildren): void {
  translatePage()
  startKeyField()
  render(tools, byId('page-tools', HTMLElement))
}

/** The list of languages. A choice opens the same view in that language. */
export function LanguageChoice() {
  const open = (tag: string) => {
    const address = new URL(location.href)
    address.searchParams.set('lang', tag)
    location.assign(address)
  }
  return (
    <select aria-label={t.language} value={language} onChange={({ currentTarget: { value } }) => open(value)}>
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag}>
          {name}
        </option>
      ))}
    </select>
  )
}
