import { nearbyArguments, parseArguments } from '../../catalog/arguments.ts'
import type { NearbyItem as NearbyItemRow } from '../../catalog/models.ts'
import { builder } from '../builder.ts'
import { circleArgs, filterArgs, pageArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item, pageType } from './item.ts'
import { DATASET_ID } from './search.ts'

const NearbyItem = builder.objectRef<NearbyItemRow>('NearbyItem').implement({
  description: 'An item near a point.',
  fields: (t) => ({
    distance: t.exposeFloat('distance', { description: 'Metres from the point, on the WGS 84 spheroid.' }),
    item: t.field({ type: Item, description: 'The item.', resolve: (item) => item }),
  }),
})

const NearbyItemPage = pageType('NearbyItemPage', NearbyItem, {
  type: 'A page of items near a point, nearest first, then by id. A page past the end is empty and has the true total.',
  nodes: 'The items of this page, nearest first.',
  total: 'Number of matching items within the radius.',
})

builder.queryField('nearbyItems', (t) =>
  t.field({
    type: NearbyItemPage,
    description: 'Items within a radius of a point, nearest first, from all datasets or from one.',
    extensions: { cost: 500 },
    args: {
      ...circleArgs,
      datasetId: t.arg.id({ description: DATASET_ID }),
      ...filterArgs,
      ...pageArgs,
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(nearbyArguments, args), projections.ofList(info)),
  }),
)

builder.prismaObjectField(Dataset, 'nearbyItems', (t) =>
  t.field({
    type: NearbyItemPage,
    description: 'Items of the dataset within a radius of a point, nearest first.',
    extensions: { cost: 500 },
    args: { ...circleArgs, ...filterArgs, ...pageArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.findIn([dataset], parseArguments(nearbyArguments, args), projections.ofList(info)),
  }),
)
