import { runGraphQL } from '../shared/api.ts'
import { element } from '../shared/dom.ts'
import { day, number } from '../shared/format.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import { formatAddress, type View } from './address.ts'
import { type Codes, type Facet, labelOf } from './codes.ts'
import { type Dataset, type Extent, FACTS, LISTED, type ListedItem } from './data.ts'
import { developerPanel } from './developer-panel.ts'
import { type ExportSize, exportLinks } from './export-links.ts'
import { memberList, type Row } from './item-facts.ts'
import { readPageData } from './page-data.ts'
import { backLine } from './places-view.ts'
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
    backLine(element('a', { href: formatAddress({ dataset: dataset.slug }), 'data-view': 'back' }, t.backToPlaces)),
    element('h1', { tabindex: -1, dir: 'auto' }, dataset.name),
    element('p', { dir: 'auto' }, dataset.description ?? ''),
    facts(dataset, about),
    exportLinks(dataset, {}, 'people', about.exportSizes),
    bars(t.categories, categories, (category) => ({ dataset: dataset.slug, category })),
    bars(t.areas, areas, (area) => ({ dataset: dataset.slug, area })),
    sample(dataset, about, codes),
    developerPanel(view, exportLinks(dataset, {}, 'programs', about.exportSizes), memberList(accessFacts(dataset))),
    jsonLd(dataset, about),
  )
}

function facts(dataset: Dataset, about: About): HTMLElement {
  const { createdAt, updatedAt, extent } = about
  return memberList([
    [t.placesLabel, number(dataset.items.total)],
    [t.credit, dataset.attribution],
    [t.licence, linked(about.license, LICENCES)],
    [t.terms, linked(about.termsUrl)],
    [t.publisher, about.publisher],
    [t.contact, linked(about.contact)],
    [t.source, linked(about.sourceUrl)],
    [t.sourceDate, about.sourceDate],
    [t.changes, about.updateFrequency],
    [t.firstLoaded, day(createdAt)],
    [t.lastChanged, day(updatedAt)],
    [t.extent, extent && extentText(extent)],
  ])
}

/** In the words of the API. */
function accessFacts({ visibility, accessTier, status }: Dataset): Row[] {
  return [
    [t.access, [visibility, accessTier].filter((part) => part !== null).join(' · ')],
    [t.status, status],
  ]
}

/** The texts of licences by their SPDX identifiers. */
const LICENCES = 'https://spdx.org/licenses/'

function linked(text: string | null, base?: string): Node | string | null {
  return text === null ? null : textLink(text, base)
}

/** For example `33.10° north to 38.60° north, 125.00° east to 131.90° east`. */
function extentText({ west, south, east, north }: Extent): string {
  return `${t.range(t.north(south), t.north(north))}, ${t.range(t.east(west), t.east(east))}`
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
    rest > 0 ? element('p', { class: 'soft small' }, t.andMore(rest)) : undefined,
  )
}

function bar({ code, label, total }: Facet, most: number, view: View): HTMLElement {
  const link = element('a', { href: formatAddress(view), 'data-view': true, dir: 'auto', title: code }, label ?? code)
  const value = element('meter', { min: 0, max: most, value: total, 'aria-hidden': 'true' })
  return element('li', {}, link, value, element('span', { class: 'soft' }, number(total)))
}

function sample(
  { slug, items: { total } }: Dataset,
  { items: { nodes } }: About,
  { categories }: Codes,
): HTMLElement | undefined {
  if (nodes.length === 0) return undefined
  const all = element('a', { href: formatAddress({ dataset: slug }), 'data-view': true }, t.allPlaces(total))
  return element(
    'section',
    {},
    element('h2', {}, t.somePlaces),
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
    total > nodes.length ? element('p', {}, all) : undefined,
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
    url: new URL(formatAddress({ dataset: dataset.slug, isAbout: true }), location.href).href,
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
    distribution: readPageData().formats.map(({ name, mediaType }) => ({
      '@type': 'DataDownload',
      encodingFormat: mediaType,
      contentUrl: `${SERVER}/exports/${dataset.slug}.${name}`,
    })),
  }
  return element('script', { type: 'application/ld+json' }, JSON.stringify(data))
}

/** A contact is a URL or an e-mail address. */
function contactPoint(contact: string): object {
  return { '@type': 'ContactPoint', [safeUrl(contact) ? 'url' : 'email']: contact }
}
