import type { ObjectRef } from '@pothos/core'
import { itemListArguments, pageArguments, parseArguments } from '../../catalog/arguments.ts'
import type { Item as ItemRow } from '../../catalog/models.ts'
import type { Page } from '../../catalog/page.ts'
import { builder } from '../builder.ts'
import { itemListArgs, pageArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Node } from './node.ts'

const Image = builder.prismaObject('Image', {
  interfaces: [Node],
  fields: (t) => ({
    originalUrl: t.exposeString('originalUrl'),
    cdnUrl: t.exposeString('cdnUrl'),
    thumbnailSmallUrl: t.exposeString('thumbnailSmallUrl'),
    thumbnailMediumUrl: t.exposeString('thumbnailMediumUrl'),
    thumbnailLargeUrl: t.exposeString('thumbnailLargeUrl'),
    altText: t.exposeString('altText'),
    sortOrder: t.exposeInt('sortOrder'),
    isPrimary: t.exposeBoolean('isPrimary'),
  }),
})

export const Item = builder.prismaObject('Item', {
  interfaces: [Node],
  fields: (t) => ({
    datasetId: t.exposeID('datasetId'),
    externalId: t.exposeString('externalId', { nullable: true }),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    administrativeAreaCode: t.exposeString('administrativeAreaCode'),
    categoryCode: t.exposeString('categoryCode'),
    parentItemId: t.exposeID('parentItemId', { nullable: true }),
    streetAddress: t.exposeString('streetAddress'),
    addressRegion: t.exposeString('addressRegion', { nullable: true }),
    addressLocality: t.exposeString('addressLocality', { nullable: true }),
    postalCode: t.exposeString('postalCode', { nullable: true }),
    roadAddress: t.exposeString('roadAddress', { nullable: true }),
    jibunAddress: t.exposeString('jibunAddress', { nullable: true }),
    latitude: t.expose('latitude', { type: 'Decimal' }),
    longitude: t.expose('longitude', { type: 'Decimal' }),
    thumbnailUrl: t.exposeString('thumbnailUrl', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    contactName: t.exposeString('contactName'),
    telephone: t.exposeString('telephone'),
    email: t.exposeString('email', { nullable: true }),
    url: t.exposeString('url'),
    openingHours: t.exposeString('openingHours', { nullable: true }),
    keywords: t.exposeStringList('keywords'),
    extraAttributes: t.field({
      type: 'JSONObject',
      description: 'Further attributes, with the names that the source uses. An empty object when there are none.',
      resolve: ({ extraAttributes }) => extraAttributes,
    }),
  }),
})

/** Defines the type of a page of items, or of nodes that have an item each. */
export function pageType<Node extends ItemRow>(
  name: string,
  node: ObjectRef<typeof builder.$inferSchemaTypes, Node>,
  descriptions: { type: string; nodes: string; total: string },
) {
  return builder.objectRef<Page<Node>>(name).implement({
    description: descriptions.type,
    fields: (t) => ({
      nodes: t.field({ type: [node], description: descriptions.nodes, resolve: (page) => page.nodes() }),
      page: t.exposeInt('page', { description: 'Number of this page; the first is 1.' }),
      limit: t.exposeInt('limit', { description: 'Page size.' }),
      total: t.int({ description: descriptions.total, extensions: { cost: 5 }, resolve: (page) => page.total() }),
    }),
  })
}

export const ItemPage = pageType('ItemPage', Item, {
  type: 'A page of items. A page past the end has no items, but the total.',
  nodes: 'The items of this page, in order.',
  total: 'Number of items on all pages.',
})

builder.prismaObjectFields(Item, (t) => ({
  dataset: t.field({
    type: Dataset,
    description: 'The dataset that owns the item.',
    resolve: (item, _args, { catalog }) => catalog.datasetOf(item),
  }),
  parent: t.field({
    type: Item,
    nullable: true,
    description: 'The parent item, in the same dataset; null for a root item.',
    resolve: (item, _args, { catalog }) => catalog.parentOf(item),
  }),
  children: t.field({
    type: ItemPage,
    description: 'A page of the items whose parent is this item, by name, then id.',
    extensions: { cost: 10 },
    args: pageArgs,
    resolve: (item, args, { catalog, projections }, info) =>
      catalog.childrenOf(item, parseArguments(pageArguments, args), projections.ofList(info)),
  }),
  images: t.field({
    type: [Image],
    description: 'All images of the item, by sortOrder, then id.',
    extensions: { assumedLength: 5 },
    resolve: (item, _args, { catalog }) => catalog.imagesOf(item),
  }),
}))

builder.prismaObjectField(Dataset, 'items', (t) =>
  t.field({
    type: ItemPage,
    description: 'A page of the items of the dataset.',
    extensions: { cost: 10 },
    args: { ...pageArgs, ...itemListArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.itemsOf(dataset, parseArguments(itemListArguments, args), projections.ofList(info)),
  }),
)

builder.queryField('item', (t) =>
  t.field({
    type: Item,
    nullable: true,
    description: 'An item. Null with an error NOT_FOUND or DATASET_ACCESS_DENIED.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the item, in any letter case.' }) },
    resolve: (_query, { id }, { catalog, projections }, info) => catalog.item(id, projections.ofItem(info)),
  }),
)
