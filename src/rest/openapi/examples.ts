/*
 * Example values for the OpenAPI document, by member name, from the sample data.
 */

const PICTURE = 'http://127.0.0.1:4000/sample/gyeongbokgung-1.svg'

/** An example for each member that is not an object or a list. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  id: '7748716f-f0aa-5779-a29b-4066ccbe3bdb',
  slug: 'seoul-landmarks',
  name: 'Gyeongbokgung Palace',
  description: 'The main royal palace of the Joseon dynasty, first built in 1395.',
  status: 'active',
  visibility: 'public',
  accessTier: null,
  attribution: 'Dataset Catalog sample; facts from public sources',
  datasetId: 'c7ffd39d-1b20-5302-b2c9-95d5c229bedc',
  administrativeAreaCode: '11110',
  categoryCode: 'palace',
  parentItemId: null,
  streetAddress: '161 Sajik-ro',
  addressRegion: 'Seoul',
  addressLocality: 'Jongno-gu',
  postalCode: '03045',
  roadAddress: '서울특별시 종로구 사직로 161',
  jibunAddress: '서울특별시 종로구 세종로 1-91',
  latitude: '37.579617',
  longitude: '126.977041',
  thumbnailUrl: PICTURE,
  contactName: 'Gyeongbokgung Palace Management Office',
  telephone: '+82-2-3700-3900',
  email: 'visit@example.org',
  url: 'https://www.royalpalace.go.kr/',
  openingHours: '09:00-18:00, closed on Tuesdays',
  extraAttributes: { nameKo: '경복궁', builtYear: 1395, designation: 'Historic Site No. 117' },
  originalUrl: PICTURE,
  cdnUrl: PICTURE,
  thumbnailSmallUrl: PICTURE,
  thumbnailMediumUrl: PICTURE,
  thumbnailLargeUrl: PICTURE,
  altText: 'The palace seen from Gwanghwamun',
  sortOrder: 0,
  isPrimary: true,
  distance: 4.06,
  createdAt: '2026-01-05T00:00:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
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
