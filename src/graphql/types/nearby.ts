import { nearbyArguments, parseArguments } from '../../catalog/arguments.ts'
import type { NearbyItem as NearbyItemRow } from '../../catalog/models.ts'
import type { Page } from '../../catalog/page.ts'
import { builder } from '../builder.ts'
import { listProjection } from '../operation/projection.ts'
import { circleArgs, filterArgs, pageArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item } from './item.ts'

const NearbyItem = builder.objectRef<NearbyItemRow>('NearbyItem').implement({
  description: 'An item near a point.',
  fields: (t) => ({
    distance: t.exposeFloat('distance', { description: 'Metres from the point, on the WGS 84 spheroid.' }),
    item: t.field({ type: Item, description: 'The item.', resolve: (item) => item }),
  }),
})

export const NearbyItemPage = builder.objectRef<Page<NearbyItemRow>>('NearbyItemPage').implement({
  description:
    'A page of items near a point, nearest first, then by id. A page past the end is empty and has the true total.',
  fields: (t) => ({
    nodes: t.field({
      type: [NearbyItem],
      description: 'The items of this page, nearest first.',
      resolve: (page) => page.nodes(),
    }),
    page: t.exposeInt('page', { description: 'Number of this page; the first is 1.' }),
    limit: t.exposeInt('limit', { description: 'Page size.' }),
    total: t.int({
      description: 'Number of matching items within the radius.',
      extensions: { cost: 5 },
      resolve: (page) => page.total(),
    }),
  }),
})

builder.queryField('nearbyItems', (t) =>
  t.field({
    type: NearbyItemPage,
    description: 'Items within a radius of a point, nearest first, from all datasets or from one.',
    extensions: { cost: 500 },
    args: {
      ...circleArgs,
      datasetId: t.arg.id({ description: 'Search only the dataset with this UUID or slug.' }),
      ...filterArgs,
      ...pageArgs,
    },
    resolve: (_query, args, { catalog }, info) =>
      catalog.nearby(parseArguments(nearbyArguments, args), listProjection(info)),
  }),
)

builder.prismaObjectField(Dataset, 'nearbyItems', (t) =>
  t.field({
    type: NearbyItemPage,
    description: 'Items of the dataset within a radius of a point, nearest first.',
    extensions: { cost: 500 },
    args: { ...circleArgs, ...filterArgs, ...pageArgs },
    resolve: (dataset, args, { catalog }, info) =>
      catalog.nearbyIn([dataset], parseArguments(nearbyArguments, args), listProjection(info)),
  }),
)
