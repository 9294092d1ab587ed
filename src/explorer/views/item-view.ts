import { element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'
import { formatAddress, hasPlaces, type View } from './address.ts'
import type { Codes } from './codes.ts'
import type { Item } from './data.ts'
import { developerPanel } from './developer-panel.ts'
import { attributeTable, foldedMembers, itemFacts } from './item-facts.ts'
import { pictureFigure } from './picture.ts'
import { backLine } from './places-view.ts'

/*
 * The page of one item.
 */

/** Creates the view. `view` is the current view with the item; without the item it is the view to go back to. */
export function itemView(item: Item, view: View, codes: Promise<Codes>): HTMLElement {
  const before = { ...view, item: undefined, at: undefined }
  // The list of a search or a circle in all datasets; without one, as in a link to the item only, the item's dataset.
  const isOfAll = view.dataset === undefined && hasPlaces(before)
  const list = isOfAll ? before : { ...before, dataset: view.dataset ?? item.dataset.slug }
  const listName = view.compared ? t.compared : isOfAll ? t.allDatasetsTitle : item.dataset.name
  const images = [...item.images].sort((left, right) => Number(right.isPrimary) - Number(left.isPrimary))
  return element(
    'article',
    { class: 'view' },
    backLine(element('a', { href: formatAddress(list), 'data-view': 'back' }, '← ', element('bdi', {}, listName))),
    element('h1', { tabindex: -1, dir: 'auto' }, item.name),
    images.length > 0 ? element('div', { class: 'pictures' }, ...images.map(pictureFigure)) : undefined,
    element('p', { dir: 'auto' }, item.description),
    itemFacts(item, codes, isOfAll),
    relatives(item, view),
    attributeTable(item),
    element('p', { class: 'soft small', dir: 'auto' }, item.dataset.attribution),
    developerPanel(view, ...foldedMembers(item)),
  )
}

function relatives({ parent, children }: Item, view: View): HTMLElement | undefined {
  if (!parent && children.total === 0) return undefined
  const link = ({ id, name }: { id: string; name: string }) =>
    element('a', { href: formatAddress({ ...view, item: id, at: undefined }), 'data-view': true, dir: 'auto' }, name)
  const unlisted = children.total - children.nodes.length
  return element(
    'section',
    {},
    parent ? element('p', {}, `${t.partOf}: `, link(parent)) : undefined,
    children.total > 0 ? element('h2', {}, t.parts) : undefined,
    children.total > 0
      ? element('ul', { class: 'parts' }, ...children.nodes.map((child) => element('li', {}, link(child))))
      : undefined,
    unlisted > 0 ? element('p', { class: 'soft' }, t.andMore(unlisted)) : undefined,
  )
}
