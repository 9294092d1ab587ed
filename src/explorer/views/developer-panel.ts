import { button, copy, element } from '../shared/dom.ts'
import { readKey } from '../shared/key.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import type { View } from './address.ts'
import { formsOf, graphiqlPath } from './request-forms.ts'
import { requestOf } from './requests.ts'

/*
 * "For developers": the request for the current view, as text to copy, and what else only a developer asks for. The copied text contains
 * the key; the screen hides it.
 */

const HIDDEN_KEY = 'dck_…'
let chosen = 'curl'
let isOpen = false

/** Creates the panel for a view. `more` follows the request. */
export function developerPanel(view: View, ...more: (HTMLElement | undefined)[]): HTMLElement {
  const request = requestOf(view)
  const shown = formsOf(request, SERVER, HIDDEN_KEY)
  const code = element('code', {}, shown[chosen])
  const choices = Object.keys(shown).map((form) => {
    const choice = button(
      form,
      () => {
        chosen = form
        code.textContent = shown[form] ?? ''
        for (const other of choices) other.setAttribute('aria-pressed', String(other === choice))
      },
      { 'aria-pressed': String(form === chosen) },
    )
    return choice
  })
  const copyButton: HTMLButtonElement = button(
    t.copy,
    () => copy(formsOf(request, SERVER, readKey() ?? HIDDEN_KEY)[chosen] ?? '', copyButton),
    { class: 'button primary', title: t.copyTitle },
  )
  const panel = element(
    'details',
    { class: 'request', open: isOpen },
    element('summary', {}, t.developers),
    element('div', { class: 'choices', role: 'group', 'aria-label': t.requestForm }, ...choices),
    element('pre', { tabindex: 0 }, code),
    element(
      'p',
      { class: 'actions' },
      copyButton,
      element('a', { class: 'button', href: SERVER + graphiqlPath(request) }, t.openGraphiql),
    ),
    ...more,
  )
  panel.addEventListener('toggle', () => {
    isOpen = panel.open
  })
  return panel
}
