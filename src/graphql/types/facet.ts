import type { Facet as FacetRow } from '../../catalog/sql/facets.ts'
import { builder } from '../builder.ts'
import { Dataset } from './dataset.ts'

const Facet = builder.objectRef<FacetRow>('Facet').implement({
  description: 'A code, and the number of items in a dataset that have it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code.' }),
    label: t.exposeString('label', {
      nullable: true,
      description:
        'Name of the code in the dataset, for example "South Korea" for KR. Null if the dataset has no name for it.',
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
