/*
 * Example values for the OpenAPI document, by member name, from the sample data.
 */

const CDN = 'https://images.example.org/gyeongbokgung'

/** An example for each member that is not an object or a list. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  id: '7d444840-9dc0-11d1-b245-5ffdce74fad2',
  slug: 'seoul-landmarks',
  name: 'Gyeongbokgung Palace',
  description: 'The main palace of the Joseon dynasty.',
  status: 'active',
  visibility: 'public',
  accessTier: null,
  attribution: 'Wikidata, CC0',
  datasetId: '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
  administrativeAreaCode: '11110',
  categoryCode: 'palace',
  parentItemId: null,
  streetAddress: '161 Sajik-ro',
  addressRegion: 'Seoul',
  addressLocality: 'Jongno-gu',
  postalCode: '03045',
  roadAddress: '161 Sajik-ro, Jongno-gu, Seoul',
  jibunAddress: '1-91 Sejongno, Jongno-gu, Seoul',
  latitude: '37.5796212',
  longitude: '126.9770162',
  thumbnailUrl: `${CDN}-small.jpg`,
  contactName: 'Visitor centre',
  telephone: '+82 2 3700 3900',
  email: 'visit@example.org',
  url: 'https://royal.khs.go.kr',
  openingHours: 'We-Mo 09:00-18:00',
  extraAttributes: { built: 1395 },
  originalUrl: `${CDN}.jpg`,
  cdnUrl: `${CDN}.webp`,
  thumbnailSmallUrl: `${CDN}-small.jpg`,
  thumbnailMediumUrl: `${CDN}-medium.jpg`,
  thumbnailLargeUrl: `${CDN}-large.jpg`,
  altText: 'The throne hall',
  sortOrder: 0,
  isPrimary: true,
  distance: 46.3,
  createdAt: '2026-01-31T09:00:00.000Z',
  updatedAt: '2026-01-31T09:00:00.000Z',
  page: 1,
  limit: 20,
  total: 1,
}

/** An example for each parameter. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  datasetId: 'seoul-landmarks',
  itemId: EXAMPLES.id,
  page: 1,
  limit: 20,
  sort: 'name',
  order: 'asc',
  administrativeAreaCode: EXAMPLES.administrativeAreaCode,
  categoryCode: EXAMPLES.categoryCode,
  parentItemId: 'null',
  latitude: 37.5796,
  longitude: 126.977,
  radius: 2000,
}

/** The request id in example errors. */
export const REQUEST_ID_EXAMPLE = '0f8fad5b-d9cb-469f-a165-70867728950e'
