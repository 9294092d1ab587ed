import { button, copy, element } from '../shared/dom.ts'
import { readKey } from '../shared/key.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import type { View } from './address.ts'
import { embedFrame, embedKeyCommand, embedPage } from './embed-page.ts'
import { formsOf, graphiqlPath } from './request-forms.ts'
import { requestOf } from './requests.ts'

/*
 * "For developers": the request for the current view, as text to copy, and what else only a developer asks for. The copied text contains
 * the key; the screen hides it.
 */

const HIDDEN_KEY = 'dck_…'
/** The forms that are a map on a page. Their key is one for web pages, so they never have that of the explorer. */
const EMBEDDED = { iframe: embedFrame, MapLibre: embedPage }
let chosen = 'curl'
let isOpen = false

/** Creates the panel for a view. `more` follows the request. */
export function developerPanel(view: View, ...more: (HTMLElement | undefined)[]): HTMLElement {
  const request = requestOf(view)
  const formsWith = (key: string): Record<string, string> => ({
    ...formsOf(request, SERVER, key),
    ...(isEmbeddable(view) &&
      Object.fromEntries(Object.entries(EMBEDDED).map(([form, write]) => [form, write(view, SERVER)]))),
  })
  const shown = formsWith(HIDDEN_KEY)
  if (!(chosen in shown)) chosen = 'curl'
  const code = element('code', {}, shown[chosen])
  const note = element(
    'p',
    { class: 'soft small', hidden: !(chosen in EMBEDDED) },
    t.embedNote,
    element('br'),
    element('code', {}, embedKeyCommand(view)),
  )
  const choices = Object.keys(shown).map((form) => {
    const choice = button(
      form,
      () => {
        chosen = form
        code.textContent = shown[form] ?? ''
        note.hidden = !(form in EMBEDDED)
        for (const other of choices) other.setAttribute('aria-pressed', String(other === choice))
      },
      { 'aria-pressed': String(form === chosen), 'data-form': form },
    )
    return choice
  })
  const copyButton: HTMLButtonElement = button(
    t.copy,
    () => copy(formsWith(readKey() ?? HIDDEN_KEY)[chosen] ?? '', copyButton),
    { class: 'button primary', title: t.copyTitle },
  )
  const panel = element(
    'details',
    { class: 'request', open: isOpen },
    element('summary', {}, t.developers),
    element('div', { class: 'choices', role: 'group', 'aria-label': t.requestForm }, ...choices),
    note,
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
    // It is at the foot of the list: without this, a person opens it and sees nothing.
    if (panel.open && !isOpen) panel.scrollIntoView({ block: 'nearest' })
    isOpen = panel.open
  })
  return panel
}

/** Whether a page with a map can show the places of a view: those of one dataset. */
function isEmbeddable({ dataset, item, isAbout }: View): boolean {
  return dataset !== undefined && item === undefined && isAbout === undefined
}

/** Creates the button that opens the panel with a frame that has the places on a map. */
export function embedButton(view: View, panel: HTMLElement): HTMLButtonElement | undefined {
  if (!isEmbeddable(view)) return undefined
  const open = () => {
    panel.toggleAttribute('open', true)
    const choice = panel.querySelector<HTMLElement>('[data-form="iframe"]')
    choice?.click()
    choice?.focus()
  }
  return button(t.embed, open, { class: 'button share' })
}
