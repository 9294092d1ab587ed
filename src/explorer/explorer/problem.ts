import { ApiError } from '../shared/api.ts'
import { button, element } from '../shared/dom.ts'
import { forgetKey } from '../shared/key.ts'
import { askForKey } from '../shared/key-field.ts'
import { readPageData } from './page-data.ts'

/*
 * The message that a person sees when a request fails.
 */

/**
 * Creates the view with the message for an error; with a button to try again where that may be of use. If the server refuses the key,
 * forgets it and asks for another one.
 */
export function problemView(error: unknown, retry: () => void): HTMLElement {
  const isFinal = error instanceof ApiError && error.status < 500
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ApiError && error.status === 401) {
    forgetKey()
    const { contact } = readPageData()
    const ask = contact === undefined ? '' : ` Whom to ask: ${contact}`
    askForKey(`This key is unknown, expired or revoked. Give another one.${ask}`)
  }
  return element(
    'div',
    { class: 'view' },
    element('h1', {}, 'This view can’t be shown'),
    element(
      'div',
      { class: 'problem', role: 'alert' },
      element('p', {}, message),
      isFinal
        ? element('a', { class: 'button', href: '/', 'data-view': true }, 'All datasets')
        : button('Try again', retry, { class: 'button' }),
    ),
  )
}
