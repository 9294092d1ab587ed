import { element } from '../shared/dom.ts'
import { formatAddress, type View } from './address.ts'
import type { Item } from './data.ts'
import { pictureFigure } from './picture.ts'
import { requestPanel } from './request-panel.ts'
import { safeUrl } from './safe-url.ts'

/*
 * One item with all its members.
 */

/** Creates the view. `view` is the current view with the item; without the item it is the view to go back to. */
export function itemView(item: Item, view: View): HTMLElement {
  const list = { ...view, item: undefined, at: undefined, dataset: view.dataset ?? item.dataset.slug }
  const images = [...item.images].sort((left, right) => Number(right.isPrimary) - Number(left.isPrimary))
  return element(
    'article',
    { class: 'view' },
    element(
      'p',
      { class: 'back' },
      element('a', { href: formatAddress(list), 'data-view': true }, '← ', element('bdi', {}, item.dataset.name)),
    ),
    element('h1', { tabindex: -1, dir: 'auto' }, item.name),
    element('p', { class: 'facts' }, tag(item.categoryCode), tag(item.administrativeAreaCode)),
    element('p', { dir: 'auto' }, item.description),
    images.length > 0 ? element('div', { class: 'pictures' }, ...images.map(pictureFigure)) : undefined,
    relatives(item, view),
    facts(item),
    requestPanel(view),
  )
}

function tag(text: string): HTMLElement {
  return element('span', { class: 'tag', dir: 'auto' }, text)
}

function relatives({ parent, children }: Item, view: View): HTMLElement | undefined {
  if (!parent && children.total === 0) return undefined
  const link = ({ id, name }: { id: string; name: string }) =>
    element('a', { href: formatAddress({ ...view, item: id, at: undefined }), 'data-view': true, dir: 'auto' }, name)
  const unlisted = children.total - children.nodes.length
  return element(
    'section',
    {},
    parent ? element('p', {}, 'Part of ', link(parent)) : undefined,
    children.total > 0 ? element('h2', {}, 'Parts') : undefined,
    children.total > 0
      ? element('ul', { class: 'parts' }, ...children.nodes.map((child) => element('li', {}, link(child))))
      : undefined,
    unlisted > 0 ? element('p', { class: 'soft' }, `and ${unlisted.toLocaleString('en')} more`) : undefined,
  )
}

function facts(item: Item): HTMLElement {
  const { dataset, parent, children, images, name, description, extraAttributes, url, email, telephone, ...members } =
    item
  const rows: [string, Node | string | null][] = [
    ['url', webLink(url)],
    ['telephone', telephone],
    ['email', email],
    ...Object.entries(members).map(([member, value]): [string, string | null] => [
      member,
      value === null || value === undefined ? null : String(value),
    ]),
    ['dataset', dataset.slug],
    ['attribution', dataset.attribution],
  ]
  const extra = Object.entries(extraAttributes)
  return element(
    'section',
    {},
    element('h2', {}, 'All members'),
    element('dl', { class: 'members' }, ...rows.flatMap(([member, value]) => memberRow(member, value))),
    extra.length > 0 ? element('h2', {}, 'extraAttributes') : undefined,
    extra.length > 0
      ? element('dl', { class: 'members' }, ...extra.flatMap(([member, value]) => memberRow(member, textOf(value))))
      : undefined,
  )
}

function memberRow(member: string, value: Node | string | null): HTMLElement[] {
  const isEmpty = value === null || value === ''
  return [
    element('dt', { dir: 'auto' }, member),
    element(
      'dd',
      { dir: 'auto', ...(isEmpty && { class: 'soft' }) },
      isEmpty ? (value === null ? 'null' : 'empty') : value,
    ),
  ]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)
}

function webLink(url: string): Node | string {
  const safe = safeUrl(url)
  return safe ? element('a', { href: safe.href, target: '_blank', rel: 'noopener noreferrer' }, url) : url
}
