import type { Facet as FacetRow } from '../../catalog/sql/facets.ts'
import { builder } from '../builder.ts'
import { Dataset } from './dataset.ts'

const Facet = builder.objectRef<FacetRow>('Facet').implement({
  description: 'A code of items, and how many items of a dataset have it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code.' }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'Name of what the code means, for example of a country. Null if the dataset names none.',
    }),
    total: t.exposeInt('total', { description: 'Number of items with this code.' }),
  }),
})

/** A list of facets has no page size. */
const ASSUMED_LENGTH = 50

builder.prismaObjectFields(Dataset, (t) => ({
  categories: t.field({
    type: [Facet],
    description: 'All category codes of the items, by number of items (most first), then code.',
    extensions: { cost: 10, assumedLength: ASSUMED_LENGTH },
    resolve: (dataset, _args, { catalog }) => catalog.facetsOf(dataset, 'categoryCode'),
  }),
  administrativeAreas: t.field({
    type: [Facet],
    description: 'All administrative area codes of the items, by number of items (most first), then code.',
    extensions: { cost: 10, assumedLength: ASSUMED_LENGTH },
    resolve: (dataset, _args, { catalog }) => catalog.facetsOf(dataset, 'administrativeAreaCode'),
  }),
}))
