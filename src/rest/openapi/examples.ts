import { mapFilters } from '../../catalog/filters.ts'

/*
 * Example values for the OpenAPI document. They come from the sample data, so that each example request finds something.
 */

const PICTURE = 'http://127.0.0.1:4000/sample/gyeongbokgung-1.svg'

const DATASET = {
  id: 'c7ffd39d-1b20-5302-b2c9-95d5c229bedc',
  slug: 'seoul-landmarks',
  name: 'Seoul Landmarks',
  description: 'Palaces, gates, museums and towers of Seoul.',
  status: 'active',
  visibility: 'public',
  accessTier: null,
  attribution: 'Dataset Catalog sample; facts from public sources',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

const ITEM = {
  id: '7748716f-f0aa-5779-a29b-4066ccbe3bdb',
  datasetId: DATASET.id,
  name: 'Gyeongbokgung Palace',
  description: 'The main royal palace of the Joseon dynasty, first built in 1395.',
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
  createdAt: '2026-01-05T00:00:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
  contactName: 'Gyeongbokgung Palace Management Office',
  telephone: '+82-2-3700-3900',
  email: null,
  url: 'https://www.royalpalace.go.kr/',
  openingHours: '09:00-18:00, closed on Tuesdays',
  extraAttributes: { nameKo: '경복궁', builtYear: 1395, designation: 'Historic Site No. 117' },
}

const PAGE = { page: 1, limit: 20, total: 1 }

/** Examples of members, by GraphQL type. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DatasetList: { total: 3 },
  Dataset: DATASET,
  ItemPage: PAGE,
  NearbyItemPage: PAGE,
  FoundItemPage: PAGE,
  Item: ITEM,
  NearbyItem: { distance: 4.06 },
  FoundItem: { distance: 4.06 },
  ApiKey: {
    id: 'c2269247-034b-42f0-a006-856fa08aef77',
    name: 'my-app',
    tiers: ['gold'],
    expiresAt: '2027-02-19T20:30:54.632Z',
    requestsPerMinute: 600,
    itemsPerMinute: null,
    origins: [],
  },
  KeyGrant: { expiresAt: null },
  KeyUsage: { day: '2026-11-21', requests: 42, items: 840, bytes: 519_432 },
  Image: {
    id: 'cc023284-ec9e-5fdb-a06e-d21795241b1a',
    originalUrl: PICTURE,
    cdnUrl: PICTURE,
    thumbnailSmallUrl: PICTURE,
    thumbnailMediumUrl: PICTURE,
    thumbnailLargeUrl: PICTURE,
    altText: 'The palace seen from Gwanghwamun',
    sortOrder: 0,
    isPrimary: true,
  },
}

/** The example of a member of a GraphQL type; undefined for objects and lists. */
export function exampleOf(type: string, member: string): unknown {
  return MEMBERS[type]?.[member]
}

/** An example for each parameter. A filter has the value of the example item. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  text: 'palace',
  within: '126.9,37.5,127.1,37.6',
  shares: 'categoryCode',
  datasetId: DATASET.slug,
  itemId: ITEM.id,
  page: 1,
  limit: 20,
  sort: 'name',
  order: 'asc',
  ...mapFilters((filter) => ITEM[filter]),
  parentItemId: 'null',
  latitude: 37.5796,
  longitude: 126.977,
  radius: 2000,
  days: 7,
  flat: 'true',
  z: 12,
  x: 3492,
  y: 1585,
}

/** The request id in example errors. */
export const REQUEST_ID_EXAMPLE = '0f8fad5b-d9cb-469f-a165-70867728950e'
