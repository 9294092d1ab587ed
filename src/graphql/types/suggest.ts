import { DEFAULT_SUGGESTIONS, parseArguments, suggestArguments } from '../../catalog/arguments.ts'
import { builder } from '../builder.ts'
import { Item } from './item.ts'
import { DATASET_ID, searchArgs } from './search.ts'

builder.queryField('suggestItems', (t) =>
  t.field({
    type: [Item],
    description: 'Items that a misspelt name, a beginning or Hangul initial consonants probably mean, best first.',
    // It takes five times as long as a search.
    extensions: { cost: 2_500 },
    args: {
      text: t.arg.string({ required: true, description: 'A name or its part, 1 to 200 characters.' }),
      datasetId: t.arg.id({ description: DATASET_ID }),
      within: searchArgs.within,
      categoryCode: searchArgs.categoryCode,
      limit: t.arg.int({ defaultValue: DEFAULT_SUGGESTIONS, description: 'Maximum, from 1 to 100.' }),
    },
    resolve: (_query, args, { catalog, projections }, info) =>
      catalog.suggest(parseArguments(suggestArguments, args), projections.ofList(info).nodes),
  }),
)
