import { formatAddress } from '../../data/address.ts'
import type { Dataset } from '../../data/datasets.ts'
import { readPageData } from '../../shared/page-data.ts'
import { safeUrl } from '../../shared/safe-url.ts'
import { SERVER } from '../../shared/server.ts'
import type { About } from './request.ts'

/** The texts of licences by their SPDX identifiers. */
export const LICENCES = 'https://spdx.org/licenses/'

/** The facts for search engines and catalogs as JSON, as schema.org has them. Those that are not known are left out. */
export function jsonLd(dataset: Dataset, about: About): string {
  const { createdAt, updatedAt, extent, license, publisher, contact, termsUrl, sourceUrl, sourceDate } = about
  const box = extent && `${extent.south} ${extent.west} ${extent.north} ${extent.east}`
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: dataset.name,
    description: dataset.description,
    identifier: dataset.id,
    url: new URL(formatAddress({ dataset: dataset.slug, isAbout: true }), location.href).href,
    creditText: dataset.attribution,
    license: license && (safeUrl(license, LICENCES)?.href ?? license),
    usageInfo: termsUrl,
    publisher: (publisher || contact) && {
      '@type': 'Organization',
      name: publisher,
      contactPoint: contact && contactPoint(contact),
    },
    isBasedOn: (sourceUrl || sourceDate) && { '@type': 'CreativeWork', url: sourceUrl, dateModified: sourceDate },
    isAccessibleForFree: dataset.visibility === 'PUBLIC',
    dateCreated: createdAt,
    dateModified: updatedAt,
    spatialCoverage: box && { '@type': 'Place', geo: { '@type': 'GeoShape', box } },
    distribution: readPageData().formats.map(({ name, mediaType }) => ({
      '@type': 'DataDownload',
      encodingFormat: mediaType,
      contentUrl: `${SERVER}/exports/${dataset.slug}.${name}`,
    })),
  }
  return JSON.stringify(facts, (_name, value) => value || (typeof value === 'boolean' ? value : undefined))
}

/** A contact is a URL or an e-mail address. */
function contactPoint(contact: string): object {
  return { '@type': 'ContactPoint', [safeUrl(contact) ? 'url' : 'email']: contact }
}
