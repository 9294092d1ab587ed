import { findArguments, parseArguments } from '../../catalog/arguments.ts'
import type { FoundItem as FoundRow } from '../../catalog/models.ts'
import { builder } from '../builder.ts'
import { pageArgs } from './arguments.ts'
import { Item, pageType } from './item.ts'
import { DATASET_ID, searchArgs } from './search.ts'

const FoundItem = builder.objectRef<FoundRow>('FoundItem').implement({
  description: 'An item that a search finds.',
  fields: (t) => ({
    item: t.field({ type: Item, description: 'The item.', resolve: (item) => item }),
    distance: t.exposeFloat('distance', {
      nullable: true,
      description: 'Metres from the point of the search, on the WGS 84 spheroid. Null without a point.',
    }),
  }),
})

const FoundItemPage = pageType('FoundItemPage', FoundItem, {
  type: 'A page of items that a search finds. A page past the end is empty and has the true total.',
  nodes: 'The items of this page, in order.',
  total: 'Number of items on all pages.',
})

builder.queryField('findItems', (t) =>
  t.field({
    type: FoundItemPage,
    description:
      'Items by name or keyword, in a box, around a point, or all of these. With a point the nearest come first.',
    extensions: { cost: 1_000 },
    args: {
      ...searchArgs,
      latitude: t.arg.float({ description: 'Latitude, from -90 to 90.' }),
      longitude: t.arg.float({ description: 'Longitude, from -180 to 180.' }),
      radius: t.arg.float({ description: 'Metres, from 1 to 50000; default 1000.' }),
      datasetId: t.arg.id({ description: DATASET_ID }),
      ...pageArgs,
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(findArguments, args), projections.ofList(info)),
  }),
)
