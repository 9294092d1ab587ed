import { randomUUID } from 'node:crypto'
import type { Prisma, PrismaClient } from '../../src/generated/prisma/client.ts'

/*
 * A small catalog, so that a reader can check every expected number. It has six datasets, one for each case of the access rule.
 * `seoul` has nine items; each other dataset has one.
 */

const at = (day: number) => new Date(Date.UTC(2026, 0, day, 9))
const uuid = (group: number, n: number) => `${String(group).repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`

export const DATASET = {
  seoul: uuid(1, 1),
  paid: uuid(1, 2),
  restricted: uuid(1, 3),
  draft: uuid(1, 4),
  inactive: uuid(1, 5),
  archived: uuid(1, 6),
} as const

/** Items of `seoul` by name; `same1` and `same2` share the name "Twin". */
export const ITEM = {
  palace: uuid(2, 1),
  gate: uuid(2, 2),
  hall: uuid(2, 3),
  museum: uuid(2, 4),
  same1: uuid(2, 5),
  same2: uuid(2, 6),
  tower: uuid(2, 7),
  plain: uuid(2, 8),
  umlaut: uuid(2, 9),
  paid: uuid(3, 1),
  restricted: uuid(3, 2),
  draft: uuid(3, 3),
  inactive: uuid(3, 4),
  archived: uuid(3, 5),
} as const

/** The items of the dataset `seoul`, in the order of their ids. */
export const SEOUL_ITEMS: readonly string[] = Object.values(ITEM).filter((id) => id.startsWith('2'))

export const IMAGE = { first: uuid(4, 1), second: uuid(4, 2), tied: uuid(4, 3), restricted: uuid(4, 4) } as const

const dataset = (
  slug: keyof typeof DATASET,
  more: Pick<Prisma.DatasetCreateManyInput, 'name' | 'status' | 'visibility'> & Partial<Prisma.DatasetCreateManyInput>,
): Prisma.DatasetCreateManyInput => ({
  id: DATASET[slug],
  slug,
  attribution: `Credit of ${slug}`,
  createdAt: at(1),
  updatedAt: at(2),
  ...more,
})

const DATASETS = [
  dataset('seoul', { name: 'Seoul', description: 'Places in Seoul', status: 'active', visibility: 'public' }),
  dataset('paid', { name: 'Paid', status: 'active', visibility: 'paid', accessTier: 'gold' }),
  dataset('restricted', { name: 'Restricted', status: 'active', visibility: 'restricted' }),
  dataset('draft', { name: 'Draft', status: 'draft', visibility: 'public' }),
  dataset('inactive', { name: 'Inactive', status: 'inactive', visibility: 'public' }),
  dataset('archived', { name: 'Archived', status: 'archived', visibility: 'public' }),
]

const item = (
  key: keyof typeof ITEM,
  name: string,
  latitude: string,
  longitude: string,
  more: Partial<Prisma.ItemCreateManyInput> = {},
): Prisma.ItemCreateManyInput => ({
  id: ITEM[key],
  datasetId: DATASET.seoul,
  name,
  latitude,
  longitude,
  administrativeAreaCode: '11110',
  categoryCode: 'palace',
  createdAt: at(3),
  updatedAt: at(4),
  ...more,
})

/** An item with a value in every field. */
export const PALACE = item('palace', 'Gyeongbokgung', '37.579617', '126.977041', {
  externalId: 'P1',
  description: 'Main royal palace',
  streetAddress: '161 Sajik-ro',
  addressRegion: 'Seoul',
  addressLocality: 'Jongno-gu',
  postalCode: '03045',
  roadAddress: '서울특별시 종로구 사직로 161',
  jibunAddress: '서울특별시 종로구 세종로 1-1',
  thumbnailUrl: 'https://images.example.org/palace/small.jpg',
  contactName: 'Palace office',
  telephone: '+82-2-3700-3900',
  email: 'palace@example.org',
  url: 'https://palace.example.org/',
  openingHours: '09:00-18:00',
  keywords: ['경복궁', 'North Palace'],
  extraAttributes: { built: 1395, open: true, tags: ['royal', '조선'] },
  createdAt: at(10),
  updatedAt: at(20),
})

const ITEMS = [
  PALACE,
  item('gate', 'Gwanghwamun', '37.576', '126.9769', {
    parentItemId: ITEM.palace,
    categoryCode: 'gate',
    createdAt: at(4),
  }),
  item('hall', 'Geunjeongjeon', '37.5785', '126.977', {
    parentItemId: ITEM.palace,
    categoryCode: 'hall',
    createdAt: at(5),
  }),
  item('museum', 'national museum', '37.5239', '126.9804', { administrativeAreaCode: '11170', categoryCode: 'museum' }),
  item('same1', 'Twin', '37.5', '127', { categoryCode: 'twin', administrativeAreaCode: '11680' }),
  item('same2', 'Twin', '37.5', '127', { categoryCode: 'twin', administrativeAreaCode: '11680' }),
  item('tower', 'N Seoul Tower', '37.5511694', '126.9882266', {
    administrativeAreaCode: '11140',
    categoryCode: 'tower',
  }),
  item('plain', 'Zero', '0.0000001', '-0.5', { administrativeAreaCode: '0', categoryCode: 'point' }),
  item('umlaut', 'Älg', '-90', '180', { administrativeAreaCode: '0', categoryCode: 'point' }),
  item('paid', 'Paid place', '37.5796', '126.977', { datasetId: DATASET.paid }),
  item('restricted', 'Restricted place', '37.5797', '126.977', { datasetId: DATASET.restricted }),
  item('draft', 'Draft place', '37.5798', '126.977', { datasetId: DATASET.draft }),
  item('inactive', 'Inactive place', '37.5799', '126.977', { datasetId: DATASET.inactive }),
  item('archived', 'Archived place', '37.58', '126.977', { datasetId: DATASET.archived }),
]

/** A row of an item in a dataset. Members that are not given have values that no test looks at. */
export const newPlace = <Given extends { datasetId: string } & Partial<Prisma.ItemCreateManyInput>>(given: Given) => ({
  id: randomUUID(),
  name: 'A place',
  administrativeAreaCode: 'a',
  categoryCode: 'c',
  latitude: 1,
  longitude: 1,
  createdAt: new Date(),
  updatedAt: new Date(),
  ...given,
})

/** A row of a dataset, which is active and public if nothing else is given. */
export const newDataset = (given: { slug: string } & Partial<Prisma.DatasetCreateManyInput>) => ({
  id: randomUUID(),
  name: given.slug,
  status: 'active' as const,
  visibility: 'public' as const,
  attribution: '',
  createdAt: new Date(),
  updatedAt: new Date(),
  ...given,
})

const image = (key: keyof typeof IMAGE, itemId: string, sortOrder: number, isPrimary: boolean) => ({
  id: IMAGE[key],
  itemId,
  sortOrder,
  isPrimary,
  originalUrl: `https://images.example.org/${key}/original.jpg`,
  cdnUrl: `https://cdn.example.org/${key}.jpg`,
  thumbnailSmallUrl: `https://cdn.example.org/${key}-s.jpg`,
  thumbnailMediumUrl: `https://cdn.example.org/${key}-m.jpg`,
  thumbnailLargeUrl: `https://cdn.example.org/${key}-l.jpg`,
  altText: `The ${key} image`,
})

const IMAGES = [
  image('tied', ITEM.palace, 1, false),
  image('second', ITEM.palace, 1, false),
  image('first', ITEM.palace, 0, true),
  image('restricted', ITEM.restricted, 0, true),
]

/** Writes the small catalog to an empty database. */
export async function seedCatalog(prisma: PrismaClient): Promise<void> {
  await prisma.dataset.createMany({ data: DATASETS })
  await prisma.item.createMany({ data: ITEMS })
  await prisma.image.createMany({ data: IMAGES })
}
