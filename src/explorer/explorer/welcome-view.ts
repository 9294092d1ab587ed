import { button, copy, element } from '../shared/dom.ts'
import { readPageData } from './page-data.ts'
import { textLink } from './text-link.ts'

/*
 * The view without a key.
 */

/** Creates the view. Its command has the address of the page. */
export function welcomeView(): HTMLElement {
  const command = `curl -H "Authorization: Bearer <API_KEY>" ${location.origin}/v1/datasets`
  const copyButton: HTMLButtonElement = button('Copy', () => copy(command, copyButton), { class: 'button' })
  return element(
    'div',
    { class: 'view' },
    element('h1', {}, 'See what your key opens'),
    element(
      'p',
      {},
      'Datasets of places on a map: museums, airports, markets. Give your API key above. It stays in this tab and goes to this server only.',
    ),
    element('h2', {}, 'No key yet?'),
    ...howToGetOne(readPageData().contact),
    element('h2', {}, 'Without this page'),
    element('pre', { tabindex: 0 }, element('code', {}, command)),
    element('p', { class: 'actions' }, copyButton),
    element(
      'ul',
      { class: 'links' },
      link('/graphql', 'GraphiQL', 'Datasets, items and images in one request.'),
      link('/docs', 'API reference', 'REST, exports, tiles and OGC, to read and to try.'),
      link('/openapi.json', 'OpenAPI 3.1', 'The same for your tools.'),
      link('/readyz', 'Health', 'Whether this server can answer.'),
    ),
  )
}

/** Whom to ask, or the command of the operator. */
function howToGetOne(contact: string | undefined): HTMLElement[] {
  if (contact === undefined) {
    return [
      element('p', {}, 'The operator of this server makes one:'),
      element('pre', { tabindex: 0 }, element('code', {}, 'npx catalog keys create --name NAME')),
    ]
  }
  return [element('p', {}, 'Ask for one: ', textLink(contact))]
}

function link(href: string, name: string, text: string): HTMLElement {
  return element('li', {}, element('a', { href }, name), element('span', {}, ` ${text}`))
}
