import type { Dataset } from '../../catalog/models.ts'
import type { Extent } from '../../catalog/sql/extent.ts'
import { GEOJSON } from '../rest/envelope.ts'
import { type Link, linkTo, ownLinks } from './links.ts'
import { CRS84, JSON_TYPE, SCHEMA_TYPE } from './media-types.ts'

/*
 * The descriptions of collections (OGC 17-069r4, sections 7.13 and 7.14). A dataset is a collection, and its slug the collection's id.
 */

const GREGORIAN = 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian'
/** OGC 19-079r2, requirement /req/queryables/get-queryables-uris. */
const QUERYABLES_RELATION = 'http://www.opengis.net/def/rel/ogc/1.0/queryables'

/** The address of a collection. `base` is the address of the landing page. */
export function collectionUrl(base: string, { slug }: Pick<Dataset, 'slug'>): string {
  return `${base}/collections/${slug}`
}

/** The description of a collection. It has no extent if the dataset has no items. */
export function collectionOf(base: string, dataset: Dataset, extent: Extent | null) {
  const { slug, name, description, attribution, license } = dataset
  const contacts = contactsOf(dataset)
  return {
    id: slug,
    title: name,
    ...(description !== null && { description }),
    attribution,
    ...(license !== null && { license: isUrl(license) ? 'other' : license }),
    ...(contacts.length > 0 && { contacts }),
    itemType: 'feature',
    ...(extent && { extent: extentOf(extent) }),
    crs: [CRS84],
    storageCrs: CRS84,
    links: linksOf(base, dataset),
  }
}

function extentOf({ west, south, east, north, from, to }: Extent) {
  return {
    spatial: { bbox: [[west, south, east, north]], crs: CRS84 },
    temporal: { interval: [[from.toISOString(), to.toISOString()]], trs: GREGORIAN },
  }
}

/** Terms of use and source have relations of https://www.iana.org/assignments/link-relations. */
function linksOf(base: string, dataset: Dataset): Link[] {
  const { name, termsUrl, sourceUrl } = dataset
  const url = collectionUrl(base, dataset)
  return [
    ...ownLinks({ self: url, form: 'json', forms: ['json', 'html'] }, name),
    linkTo(`${url}/items`, 'items', GEOJSON, `The places of ${name}`),
    linkTo(`${url}/queryables`, QUERYABLES_RELATION, SCHEMA_TYPE, 'The parameters that select places'),
    licenseOf(base, dataset),
    ...(termsUrl === null ? [] : [linkTo(termsUrl, 'terms-of-service', 'text/html', 'The terms of use')]),
    ...(sourceUrl === null ? [] : [linkTo(sourceUrl, 'via', 'text/html', 'The source of the data')]),
  ]
}

/** The publisher and whom to ask, as OGC API Records has contacts (OGC 20-004r1, section 8.2.2). */
function contactsOf({ publisher, contact }: Dataset) {
  if (publisher === null && contact === null) return []
  const address =
    contact !== null &&
    (isUrl(contact) ? { links: [{ href: contact, rel: 'about' }] } : { emails: [{ value: contact }] })
  return [{ ...(publisher !== null && { name: publisher }), ...address, roles: ['publisher'] }]
}

const isUrl = (text: string) => text.includes('://')

/**
 * The licence of the dataset, or else the one that the credit line names by a URL, or else the dataset's description, which has the
 * credit line.
 */
function licenseOf(base: string, { id, attribution, license }: Dataset): Link {
  const pageOf = (name: string) => (isUrl(name) ? name : `https://spdx.org/licenses/${name}.html`)
  if (license !== null) return linkTo(pageOf(license), 'license', 'text/html', license)
  const url = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/.exec(attribution)?.[0]
  return url !== undefined && URL.canParse(url)
    ? linkTo(new URL(url).href, 'license', 'text/html', attribution)
    : linkTo(new URL(`v1/datasets/${id}`, base).href, 'license', JSON_TYPE, attribution)
}
