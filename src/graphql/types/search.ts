import {
  DEFAULT_SUGGESTIONS,
  DEFAULTS,
  findArguments,
  nearbyArguments,
  parseArguments,
  searchArguments,
  suggestArguments,
} from '../../catalog/arguments.ts'
import type { FoundItem as FoundRow, NearbyItem as NearbyItemRow } from '../../catalog/models.ts'
import { builder } from '../builder.ts'
import { filterArgs, pageArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item, ItemPage, pageType } from './item.ts'

/* The searches: for words and in a box, around a point, for all of these, and for what a misspelt text means. */

const BoundingBox = builder.inputType('BoundingBox', {
  description: 'A box in degrees, edges included. If west is greater than east, it crosses the antimeridian.',
  fields: (t) => ({
    west: t.float({ required: true, description: 'From -180 to 180.' }),
    south: t.float({ required: true, description: 'From -90 to 90.' }),
    east: t.float({ required: true, description: 'From -180 to 180.' }),
    north: t.float({ required: true, description: 'From -90 to 90.' }),
  }),
})

const datasetArgs = builder.args((t) => ({ datasetId: t.id({ description: 'Only this dataset: UUID or slug.' }) }))

const searchArgs = builder.args((t) => ({
  text: t.string({
    description:
      'Words, 1 to 200 characters, each in the name or a keyword; case, accents and invisible characters do not matter.',
  }),
  within: t.field({ type: BoundingBox, description: 'Only items in this box.' }),
  ...filterArgs,
}))

const circleArgs = builder.args((t) => ({
  latitude: t.float({ required: true, description: 'Latitude of the centre in degrees, from -90 to 90.' }),
  longitude: t.float({ required: true, description: 'Longitude of the centre in degrees, from -180 to 180.' }),
  radius: t.float({ defaultValue: DEFAULTS.radius, description: 'Radius in metres, from 1 to 50000.' }),
}))

const NearbyItem = builder.objectRef<NearbyItemRow>('NearbyItem').implement({
  description: 'An item near a point.',
  fields: (t) => ({
    distance: t.exposeFloat('distance', { description: 'Metres from the point, on the WGS 84 spheroid.' }),
    item: t.field({ type: Item, description: 'The item.', resolve: (item) => item }),
  }),
})

const NearbyItemPage = pageType('NearbyItemPage', NearbyItem, {
  type: 'A page of items near a point, nearest first, then by id. A page past the end has no items, but the total.',
  nodes: 'The items of this page, nearest first.',
  total: 'Number of matching items within the radius.',
})

const FoundItem = builder.objectRef<FoundRow>('FoundItem').implement({
  description: 'An item found by a search.',
  fields: (t) => ({
    item: t.field({ type: Item, description: 'The item.', resolve: (item) => item }),
    distance: t.exposeFloat('distance', {
      nullable: true,
      description: 'Metres from the point of the search, on the WGS 84 spheroid. Null without a point.',
    }),
  }),
})

const FoundItemPage = pageType('FoundItemPage', FoundItem, {
  type: 'A page of items found by a search. A page past the end has no items, but the total.',
  nodes: 'The items of this page, in order.',
  total: 'Number of items on all pages.',
})

const ORDER =
  'Items whose name or a keyword is equal to the text come first, then names that begin with it, then other names with every word, then all others. Within each group by name, then id.'

builder.queryFields((t) => ({
  searchItems: t.field({
    type: ItemPage,
    description: `Items by name or keyword, in a box, or both, from all datasets or from one. ${ORDER}`,
    extensions: { cost: 1_000 },
    args: { ...searchArgs, ...datasetArgs, ...pageArgs },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(searchArguments, args), projections.ofList(info)),
  }),
  nearbyItems: t.field({
    type: NearbyItemPage,
    description: 'Items within a radius of a point, nearest first, from all datasets or from one.',
    extensions: { cost: 500 },
    args: { ...circleArgs, ...datasetArgs, ...filterArgs, ...pageArgs },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(nearbyArguments, args), projections.ofList(info)),
  }),
  findItems: t.field({
    type: FoundItemPage,
    description:
      'Items by name or keyword, in a box, around a point, or all of these. With a point the nearest come first.',
    extensions: { cost: 1_000 },
    args: {
      ...searchArgs,
      latitude: t.arg.float({ description: 'Latitude, from -90 to 90.' }),
      longitude: t.arg.float({ description: 'Longitude, from -180 to 180.' }),
      radius: t.arg.float({ description: 'Metres, from 1 to 50000; default 1000.' }),
      ...datasetArgs,
      ...pageArgs,
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(findArguments, args), projections.ofList(info)),
  }),
  suggestItems: t.field({
    type: [Item],
    description: 'Items for a misspelt or unfinished name, or Hangul initial consonants, best first.',
    // It takes five times as long as a search.
    extensions: { cost: 2_500 },
    args: {
      text: t.arg.string({ required: true, description: 'A name or a part of it, 1 to 200 characters.' }),
      ...datasetArgs,
      within: searchArgs.within,
      categoryCode: searchArgs.categoryCode,
      limit: t.arg.int({ defaultValue: DEFAULT_SUGGESTIONS, description: 'Maximum, from 1 to 100.' }),
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.suggest(parseArguments(suggestArguments, args), projections.ofList(info).nodes),
  }),
}))

builder.prismaObjectFields(Dataset, (t) => ({
  searchItems: t.field({
    type: ItemPage,
    description: `Items of the dataset by name or keyword, in a box, or both. ${ORDER}`,
    extensions: { cost: 1_000 },
    args: { ...searchArgs, ...pageArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.findIn([dataset], parseArguments(searchArguments, args), projections.ofList(info)),
  }),
  nearbyItems: t.field({
    type: NearbyItemPage,
    description: 'Items of the dataset within a radius of a point, nearest first.',
    extensions: { cost: 500 },
    args: { ...circleArgs, ...filterArgs, ...pageArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.findIn([dataset], parseArguments(nearbyArguments, args), projections.ofList(info)),
  }),
}))
