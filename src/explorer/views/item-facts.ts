import { type Child, element } from '../shared/dom.ts'
import { day } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress } from './address.ts'
import { areaLabel, type Codes, categoryLabel } from './codes.ts'
import type { Item } from './data.ts'
import { safeUrl } from './safe-url.ts'

/*
 * What is known of an item, in the order in which a person asks for it: category, area, address, opening hours, contact. Empty
 * members and the raw members are folded away.
 */

/** A member with its label. Without a value it is not shown. */
export type Row = [label: string, value: Node | string | null | undefined]

/** Returns the members that have a value, by their labels, and the dataset if asked for. */
export function itemFacts(item: Item, codes: Promise<Codes>, hasDataset: boolean): HTMLElement {
  return memberList([
    [t.dataset, hasDataset ? datasetLink(item) : undefined],
    [t.category, codeLink(item, 'category', categoryLabel(item.categoryCode, codes))],
    [t.area, codeLink(item, 'area', areaLabel(item.administrativeAreaCode, codes))],
    [t.keywords, item.keywords.join(', ')],
    [t.address, addressOf(item)],
    [t.lotAddress, item.jibunAddress],
    [t.openingHours, item.openingHours],
    [t.telephone, item.telephone],
    [t.email, item.email],
    [t.website, webLink(item.url)],
    [t.contact, item.contactName],
    [t.coordinates, `${item.latitude}, ${item.longitude}`],
    [t.lastChanged, day(item.updatedAt)],
  ])
}

/** Returns the source's own attributes as a table, undefined if there are none. */
export function attributeTable({ extraAttributes }: Item): HTMLElement | undefined {
  const rows = Object.entries(extraAttributes).filter(([, value]) => !isEmpty(value))
  if (rows.length === 0) return undefined
  return element(
    'section',
    {},
    element('h2', {}, t.fromSource),
    element(
      'table',
      { class: 'attributes' },
      element(
        'tbody',
        {},
        ...rows.map(([name, value]) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row', dir: 'auto' }, name),
            element('td', { dir: 'auto' }, textOf(value)),
          ),
        ),
      ),
    ),
  )
}

/** Returns the names of the members without a value, and all members as JSON, both folded. */
export function foldedMembers({ dataset: _, parent, children, images, ...members }: Item): HTMLElement[] {
  const { extraAttributes, ...own } = members
  const empty = [...Object.entries(own), ...Object.entries(extraAttributes)]
    .filter(([, value]) => isEmpty(value))
    .map(([name]) => name)
  const json = JSON.stringify(members, undefined, 2)
  return [
    ...(empty.length > 0 ? [folded(t.emptyMembers(empty.length), () => element('p', {}, empty.join(', ')))] : []),
    folded(t.json, () => element('pre', { tabindex: 0 }, element('code', {}, json))),
  ]
}

function folded(summary: string, content: () => HTMLElement): HTMLElement {
  const details = element('details', { class: 'folded' }, element('summary', {}, summary))
  details.addEventListener('toggle', () => details.append(content()), { once: true })
  return details
}

/** Creates the list of the members that have a value. */
export function memberList(rows: readonly Row[]): HTMLElement {
  const filled = rows.filter(([, value]) => !isEmpty(value))
  return element(
    'dl',
    { class: 'members' },
    ...filled.flatMap(([label, value]) => [
      element('dt', {}, label),
      element('dd', { dir: 'auto' }, value ?? undefined),
    ]),
  )
}

function datasetLink({ dataset: { slug, name } }: Item): HTMLElement {
  return element('a', { href: formatAddress({ dataset: slug }), 'data-view': true, dir: 'auto' }, name)
}

/** A link to all places of the dataset with the same code. */
function codeLink({ dataset, categoryCode, administrativeAreaCode }: Item, filter: 'category' | 'area', label: Child) {
  const code = filter === 'category' ? categoryCode : administrativeAreaCode
  const view = { dataset: dataset.slug, [filter]: code }
  return element('a', { href: formatAddress(view), 'data-view': true, title: code }, label)
}

/** The lines of the address. A line that another one contains says nothing new. */
export function addressOf(item: Item): string {
  const { streetAddress, roadAddress, postalCode, addressLocality, addressRegion } = item
  const town = [postalCode, addressLocality, addressRegion].filter((part) => part).join(' ')
  const lines = [...new Set([roadAddress ?? '', streetAddress, town])].filter((line) => line !== '')
  return lines.filter((line) => !lines.some((other) => other !== line && other.includes(line))).join('\n')
}

/** Whether there is nothing to show: no value, or an empty text, list or object. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && !(value instanceof Node)) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ''
}

/** A list is written with commas, an object as JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value, undefined, 1) : String(value)
}

/** A link to a web page; the text as it is if it is no address. */
export function webLink(url: string): Node | string {
  const safe = safeUrl(url)
  return safe ? element('a', { href: safe.href, target: '_blank', rel: 'noopener noreferrer' }, url) : url
}
