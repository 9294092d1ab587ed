import { button, copy, element } from '../shared/dom.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import { readPageData } from './page-data.ts'
import { textLink } from './text-link.ts'

/*
 * The view without a key.
 */

/** Creates the view. Its command has the address of the page. */
export function welcomeView(): HTMLElement {
  const command = `curl -H "Authorization: Bearer <API_KEY>" ${SERVER}/v1/datasets`
  const copyButton: HTMLButtonElement = button(t.copy, () => copy(command, copyButton), { class: 'button' })
  return element(
    'div',
    { class: 'view' },
    element('h1', {}, t.welcome),
    element('p', {}, t.welcomeText),
    element('h2', {}, t.noKey),
    ...howToGetOne(readPageData().contact),
    element('h2', {}, t.withoutPage),
    element('pre', { tabindex: 0 }, element('code', {}, command)),
    element('p', { class: 'actions' }, copyButton),
    element(
      'ul',
      { class: 'links' },
      link('/graphql', 'GraphiQL', t.aboutGraphiql),
      link('/docs', t.reference, t.aboutReference),
      link('/openapi.json', 'OpenAPI 3.1', t.aboutOpenapi),
      link('/readyz', t.health, t.aboutHealth),
    ),
  )
}

/** Whom to ask, or the command of the operator. */
function howToGetOne(contact: string | undefined): HTMLElement[] {
  if (contact === undefined) {
    return [
      element('p', {}, t.operatorMakesOne),
      element('pre', { tabindex: 0 }, element('code', {}, 'npx catalog keys create --name NAME')),
    ]
  }
  return [element('p', {}, t.askFor, textLink(contact))]
}

function link(path: string, name: string, text: string): HTMLElement {
  return element('li', {}, element('a', { href: SERVER + path }, name), element('span', {}, ` ${text}`))
}
