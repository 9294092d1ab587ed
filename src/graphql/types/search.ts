import { parseArguments, searchArguments } from '../../catalog/arguments.ts'
import { builder } from '../builder.ts'
import { filterArgs, pageArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { ItemPage } from './item.ts'

const BoundingBox = builder.inputType('BoundingBox', {
  description: 'A box in degrees, edges included. If west is greater than east, it crosses the antimeridian.',
  fields: (t) => ({
    west: t.float({ required: true, description: 'From -180 to 180.' }),
    south: t.float({ required: true, description: 'From -90 to 90.' }),
    east: t.float({ required: true, description: 'From -180 to 180.' }),
    north: t.float({ required: true, description: 'From -90 to 90.' }),
  }),
})

/** What the items of a search have in common. */
export const searchArgs = builder.args((t) => ({
  text: t.string({
    description:
      'Words, 1 to 200 characters, each in the name or a keyword; case, accents and invisible characters do not matter.',
  }),
  within: t.field({ type: BoundingBox, description: 'Only items in this box.' }),
  ...filterArgs,
}))

const ORDER =
  'Items whose name or a keyword is equal to the text come first, then names that begin with it, then other names with every word, then all others. Within each group by name, then id.'

/** The description of the argument `datasetId`. */
export const DATASET_ID = 'Only this dataset: UUID or slug.'

builder.queryField('searchItems', (t) =>
  t.field({
    type: ItemPage,
    description: `Items by name or keyword, in a box, or both, from all datasets or from one. ${ORDER}`,
    extensions: { cost: 1_000 },
    args: {
      ...searchArgs,
      datasetId: t.arg.id({ description: DATASET_ID }),
      ...pageArgs,
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.find(parseArguments(searchArguments, args), projections.ofList(info)),
  }),
)

builder.prismaObjectField(Dataset, 'searchItems', (t) =>
  t.field({
    type: ItemPage,
    description: `Items of the dataset by name or keyword, in a box, or both. ${ORDER}`,
    extensions: { cost: 1_000 },
    args: { ...searchArgs, ...pageArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.findIn([dataset], parseArguments(searchArguments, args), projections.ofList(info)),
  }),
)
