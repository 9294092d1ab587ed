import { ApiError } from '../shared/api-error.ts'
import { button, element } from '../shared/dom.ts'
import { messageOf } from '../shared/error-text.ts'
import { forgetKey } from '../shared/key.ts'
import { askForKey } from '../shared/key-field.ts'
import { t } from '../shared/text.ts'
import { formatAddress, parseAddress, type View } from './address.ts'
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
  if (error instanceof ApiError && error.status === 401) {
    forgetKey()
    askForKey(t.giveAnotherKey(messageOf(error), readPageData().contact))
  }
  return element(
    'div',
    { class: 'view' },
    element('h1', {}, t.problem),
    element(
      'div',
      { class: 'problem', role: 'alert' },
      reasonOf(error, (dataset) => ({ ...parseAddress(location.search), compared: undefined, dataset })),
      isFinal
        ? element('a', { class: 'button', href: formatAddress({}), 'data-view': true }, t.allDatasetsTitle)
        : button(t.tryAgain, retry, { class: 'button' }),
    ),
  )
}

/** Says why, with a link to `viewOf` the dataset with the nearest slug, if the error names one. */
export function reasonOf(error: unknown, viewOf: (dataset: string) => View): HTMLElement {
  const [, dataset] = /; the nearest one is (.+)$/.exec(error instanceof ApiError ? error.message : '') ?? []
  if (dataset === undefined) return element('p', {}, messageOf(error))
  const link = element('a', { href: formatAddress(viewOf(dataset)), 'data-view': true }, dataset)
  return element('p', {}, `${messageOf(error)} ${t.didYouMean} `, link, '?')
}
