import { button, copy, element } from '../shared/dom.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import { hasPlaces, type View } from './address.ts'
import { readPageData } from './page-data.ts'
import { textLink } from './text-link.ts'

/*
 * The view without a key.
 */

/** Creates the view: what a link shows, or what the page is for. Its command has the address of the page. */
export function welcomeView(view: View): HTMLElement {
  const isLink = hasPlaces(view) || view.item !== undefined
  const command = `curl -H "Authorization: Bearer <API_KEY>" ${SERVER}/v1/datasets`
  const copyButton: HTMLButtonElement = button(t.copy, () => copy(command, copyButton), { class: 'button' })
  const { contact } = readPageData()
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)
  return element(
    'div',
    { class: 'view' },
    element('h1', {}, isLink ? t.linkNeedsKey : t.welcome),
    element('p', {}, isLink ? t.linkNeedsKeyText : t.welcomeText),
    element('h2', {}, t.noKey),
    element('p', {}, ...(contact === undefined ? [t.askAnybody] : [t.askFor, textLink(contact)])),
    ...(isHere ? [element('p', {}, t.startPrintedLink)] : []),
    forOperators(view.dataset),
    element('h2', {}, t.withoutPage),
    shellCommand(command),
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

/** The commands of whoever runs the server, folded. */
function forOperators(dataset: string | undefined): HTMLElement {
  const grant = dataset !== undefined && /^[\w.~-]+$/.test(dataset) ? ` --dataset ${dataset}` : ''
  return element(
    'details',
    {},
    element('summary', {}, t.iOperate),
    element('p', {}, t.operatorMakesOne),
    shellCommand(`npx catalog keys create --name NAME${grant}`),
    element('p', {}, t.operatorOpensPage),
    shellCommand('PUBLIC_KEY=dck_... npx catalog serve'),
  )
}

function shellCommand(text: string): HTMLElement {
  return element('pre', { tabindex: 0 }, element('code', {}, text))
}

function link(path: string, name: string, text: string): HTMLElement {
  return element('li', {}, element('a', { href: SERVER + path }, name), element('span', {}, ` ${text}`))
}
