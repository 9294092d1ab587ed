import { runGraphQL } from '../shared/api.ts'
import { element } from '../shared/dom.ts'
import { formatAddress, type View } from './address.ts'
import { type Codes, type Facet, labelOf } from './codes.ts'
import type { Dataset, Extent, ListedItem } from './data.ts'
import { FACTS, LISTED } from './data.ts'
import { type ExportSize, exportLinks } from './export-links.ts'
import { requestPanel } from './request-panel.ts'
import { safeUrl } from './safe-url.ts'
import { textLink } from './text-link.ts'

/*
 * The page of a dataset: what it is, what is in it, where it lies, and how to get it.
 */

/** The facts and some of the places. */
export interface About {
  license: string | null
  publisher: string | null
  contact: string | null
  termsUrl: string | null
  sourceUrl: string | null
  sourceDate: string | null
  updateFrequency: string | null
  createdAt: string
  updatedAt: string
  extent: Extent | null
  exportSizes: ExportSize[]
  items: { nodes: ListedItem[] }
}

const SAMPLE_ROWS = 5
const MAX_BARS = 20

export async function readAbout(dataset: string, signal: AbortSignal): Promise<About> {
  const data = await runGraphQL<{ dataset: About }>(
    `query About($dataset: ID!, $limit: Int) {
  dataset(id: $dataset) {
    ${FACTS}
    items(limit: $limit) { nodes { ${LISTED} } }
  }
}`,
    { dataset, limit: SAMPLE_ROWS },
    signal,
  )
  return data.dataset
}

/** Creates the view. */
export function aboutView(dataset: Dataset, about: About, codes: Codes, view: View): HTMLElement {
  const { categories, areas } = codes
  return element(
    'article',
    { class: 'view about' },
    element(
      'p',
      { class: 'back' },
      element('a', { href: formatAddress({ dataset: dataset.slug }), 'data-view': 'back' }, '← Places'),
    ),
    element('h1', { tabindex: -1, dir: 'auto' }, dataset.name),
    element('p', { dir: 'auto' }, dataset.description ?? ''),
    facts(dataset, about),
    exportLinks(dataset, {}, about.exportSizes),
    bars('Categories', categories, (category) => ({ dataset: dataset.slug, category })),
    bars('Areas', areas, (area) => ({ dataset: dataset.slug, area })),
    sample(dataset, about, codes),
    requestPanel(view),
    jsonLd(dataset, about),
  )
}

function facts(dataset: Dataset, about: About): HTMLElement {
  const { createdAt, updatedAt, extent } = about
  const rows: [string, Node | string | null][] = [
    ['Places', dataset.items.total.toLocaleString('en')],
    ['Credit', dataset.attribution],
    ['Licence', linked(about.license, LICENCES)],
    ['Terms', linked(about.termsUrl)],
    ['Publisher', about.publisher],
    ['Contact', linked(about.contact)],
    ['Source', linked(about.sourceUrl)],
    ['Date of the source', about.sourceDate],
    ['Changes', about.updateFrequency],
    ['Access', dataset.visibility.toLowerCase() + (dataset.accessTier ? `, tier ${dataset.accessTier}` : '')],
    ['Status', dataset.status.toLowerCase()],
    ['First loaded', dayOf(createdAt)],
    ['Last changed', dayOf(updatedAt)],
    ['Extent', extent && extentText(extent)],
  ]
  return element(
    'dl',
    { class: 'members' },
    ...rows.flatMap(([label, value]) =>
      value === null ? [] : [element('dt', {}, label), element('dd', { dir: 'auto' }, value)],
    ),
  )
}

/** The texts of licences by their SPDX identifiers. */
const LICENCES = 'https://spdx.org/licenses/'

function linked(text: string | null, base?: string): Node | string | null {
  return text === null ? null : textLink(text, base)
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
}

/** For example `33.1° to 38.6° north, 125° to 131.9° east`. */
function extentText({ west, south, east, north }: Extent): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`
  const latitudes = [south, north].map((value) => degrees(value, 'north', 'south'))
  const longitudes = [west, east].map((value) => degrees(value, 'east', 'west'))
  return `${latitudes.join(' to ')}, ${longitudes.join(' to ')}`
}

/** The most frequent codes with their totals as bars. Each is a link to its places. */
function bars(title: string, facets: readonly Facet[], viewOf: (code: string) => View): HTMLElement | undefined {
  const shown = facets.slice(0, MAX_BARS)
  const most = Math.max(...shown.map(({ total }) => total))
  const rest = facets.length - shown.length
  if (shown.length === 0) return undefined
  return element(
    'section',
    {},
    element('h2', {}, title),
    element('ul', { class: 'bars' }, ...shown.map((facet) => bar(facet, most, viewOf(facet.code)))),
    rest > 0 ? element('p', { class: 'soft small' }, `and ${rest.toLocaleString('en')} more`) : undefined,
  )
}

function bar({ code, label, total }: Facet, most: number, view: View): HTMLElement {
  const link = element('a', { href: formatAddress(view), 'data-view': true, dir: 'auto', title: code }, label ?? code)
  const value = element('meter', { min: 0, max: most, value: total, 'aria-hidden': 'true' })
  return element('li', {}, link, value, element('span', { class: 'soft' }, total.toLocaleString('en')))
}

function sample({ slug, items: { total } }: Dataset, { items: { nodes } }: About, { categories }: Codes): HTMLElement {
  return element(
    'section',
    {},
    element('h2', {}, 'Some of its places'),
    element(
      'ul',
      { class: 'places' },
      ...nodes.map(({ id, name, categoryCode }) =>
        element(
          'li',
          {},
          element('a', { href: formatAddress({ dataset: slug, item: id }), 'data-view': true, dir: 'auto' }, name),
          element('span', { class: 'soft small' }, element('bdi', {}, labelOf(categoryCode, categories))),
        ),
      ),
    ),
    element(
      'p',
      {},
      element(
        'a',
        { href: formatAddress({ dataset: slug }), 'data-view': true },
        `All ${total.toLocaleString('en')} places`,
      ),
    ),
  )
}

/** The facts for search engines and catalogs, as schema.org has them. A browser does not execute this script. */
function jsonLd(dataset: Dataset, about: About): HTMLElement {
  const { createdAt, updatedAt, extent, license, publisher, contact, termsUrl, sourceUrl, sourceDate } = about
  const box = extent && `${extent.south} ${extent.west} ${extent.north} ${extent.east}`
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: dataset.name,
    ...(dataset.description && { description: dataset.description }),
    identifier: dataset.id,
    url: location.origin + formatAddress({ dataset: dataset.slug, isAbout: true }),
    creditText: dataset.attribution,
    ...(license && { license: safeUrl(license, LICENCES)?.href ?? license }),
    ...(termsUrl && { usageInfo: termsUrl }),
    ...((publisher || contact) && {
      publisher: {
        '@type': 'Organization',
        ...(publisher && { name: publisher }),
        ...(contact && { contactPoint: contactPoint(contact) }),
      },
    }),
    ...((sourceUrl || sourceDate) && {
      isBasedOn: {
        '@type': 'CreativeWork',
        ...(sourceUrl && { url: sourceUrl }),
        ...(sourceDate && { dateModified: sourceDate }),
      },
    }),
    isAccessibleForFree: dataset.visibility === 'PUBLIC',
    dateCreated: createdAt,
    dateModified: updatedAt,
    ...(box && { spatialCoverage: { '@type': 'Place', geo: { '@type': 'GeoShape', box } } }),
    distribution: Object.entries(MEDIA_TYPES).map(([ending, encodingFormat]) => ({
      '@type': 'DataDownload',
      encodingFormat,
      contentUrl: `${location.origin}/exports/${dataset.slug}.${ending}`,
    })),
  }
  return element('script', { type: 'application/ld+json' }, JSON.stringify(data))
}

/** A contact is a URL or an e-mail address. */
function contactPoint(contact: string): object {
  return { '@type': 'ContactPoint', [safeUrl(contact) ? 'url' : 'email']: contact }
}

const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv', geojson: 'application/geo+json' }
