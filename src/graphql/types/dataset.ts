import type { Dataset as DatasetRow } from '../../catalog/models.ts'
import { type ExportSize as ExportSizeRow, SIZED_FORMATS } from '../../catalog/sql/export-sizes.ts'
import type { Extent as ExtentRow } from '../../catalog/sql/extent.ts'
import type { Facet as FacetRow } from '../../catalog/sql/facets.ts'
import { builder } from '../builder.ts'
import { Node } from './node.ts'

const DatasetStatus = builder.enumType('DatasetStatus', {
  description: 'Lifecycle status of a dataset.',
  values: {
    DRAFT: { value: 'draft', description: 'In preparation. Only API keys with a grant may access it.' },
    ACTIVE: { value: 'active', description: 'Published.' },
    INACTIVE: { value: 'inactive', description: 'Withdrawn. Only API keys with a grant may access it.' },
    ARCHIVED: { value: 'archived', description: 'Published, and no longer updated.' },
  } as const,
})

const DatasetVisibility = builder.enumType('DatasetVisibility', {
  description: 'Who may access a dataset that is active or archived.',
  values: {
    PUBLIC: { value: 'public', description: 'Every API key.' },
    RESTRICTED: { value: 'restricted', description: 'API keys with a grant for the dataset.' },
    PAID: { value: 'paid', description: "API keys with the dataset's access tier or with a grant for the dataset." },
  } as const,
})

const Extent = builder.objectRef<ExtentRow>('Extent').implement({
  description:
    'The box around the items of a dataset, in degrees. If it crosses the antimeridian, west is greater than east.',
  fields: (t) => ({
    west: t.exposeFloat('west', { description: 'The western edge.' }),
    south: t.exposeFloat('south', { description: 'The southern edge.' }),
    east: t.exposeFloat('east', { description: 'The eastern edge.' }),
    north: t.exposeFloat('north', { description: 'The northern edge.' }),
  }),
})

const ENDINGS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(SIZED_FORMATS.map((name) => `\`${name}\``))

const ExportSize = builder.objectRef<ExportSizeRow>('ExportSize').implement({
  description: 'The size of an export.',
  fields: (t) => ({
    format: t.exposeString('format', { description: `The ending of the file: ${ENDINGS}.` }),
    bytes: t.exposeFloat('bytes', { description: 'Bytes before compression.' }),
    isExact: t.exposeBoolean('isExact', {
      description: 'Whether the size is exact. For a large dataset it is estimated from the first items.',
    }),
  }),
})

const Facet = builder.objectRef<FacetRow>('Facet').implement({
  description: 'A code, and the number of items in a dataset that have it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code.' }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'Label of the code in the dataset, for example "South Korea" for KR. Null if it has none.',
    }),
    total: t.exposeInt('total', { description: 'Number of items with this code.' }),
  }),
})

/** A list of facets has no page size. */
const FACETS = { cost: 10, assumedLength: 50 }

export const Dataset = builder.prismaObject('Dataset', {
  interfaces: [Node],
  fields: (t) => ({
    slug: t.exposeString('slug'),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    status: t.expose('status', { type: DatasetStatus }),
    visibility: t.expose('visibility', { type: DatasetVisibility }),
    accessTier: t.exposeString('accessTier', { nullable: true }),
    attribution: t.exposeString('attribution'),
    license: t.exposeString('license', { nullable: true }),
    publisher: t.exposeString('publisher', { nullable: true }),
    contact: t.exposeString('contact', { nullable: true }),
    termsUrl: t.exposeString('termsUrl', { nullable: true }),
    sourceUrl: t.exposeString('sourceUrl', { nullable: true }),
    sourceDate: t.exposeString('sourceDate', { nullable: true }),
    updateFrequency: t.exposeString('updateFrequency', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    extent: t.field({
      type: Extent,
      nullable: true,
      description: 'The box around the items, as in OGC API Features. Null if the dataset has no items.',
      extensions: { cost: 5 },
      resolve: (dataset, _args, { catalog }) => catalog.extentOf(dataset),
    }),
    exportSizes: t.field({
      type: [ExportSize],
      description: 'The sizes of the text files of /exports, without filters.',
      extensions: { cost: 100, assumedLength: SIZED_FORMATS.length },
      resolve: (dataset, _args, { catalog }) => catalog.exportSizesOf(dataset),
    }),
    categories: t.field({
      type: [Facet],
      description: 'All category codes of the items, by number of items (most first), then code.',
      extensions: FACETS,
      resolve: (dataset, _args, { catalog }) => catalog.facetsOf(dataset, 'categoryCode'),
    }),
    administrativeAreas: t.field({
      type: [Facet],
      description: 'All administrative area codes of the items, by number of items (most first), then code.',
      extensions: FACETS,
      resolve: (dataset, _args, { catalog }) => catalog.facetsOf(dataset, 'administrativeAreaCode'),
    }),
  }),
})

const DatasetList = builder.objectRef<readonly DatasetRow[]>('DatasetList').implement({
  description: 'The datasets that the API key may access.',
  fields: (t) => ({
    nodes: t.field({ type: [Dataset], description: 'The datasets, by name, then id.', resolve: (list) => list }),
    total: t.int({
      description: 'Number of datasets.',
      extensions: { cost: 5 },
      resolve: (list) => list.length,
    }),
  }),
})

builder.queryFields((t) => ({
  datasets: t.field({
    type: DatasetList,
    description: 'The datasets that the API key may access.',
    extensions: { assumedLength: 20 },
    resolve: (_query, _args, { catalog }) => catalog.datasets(),
  }),
  dataset: t.field({
    type: Dataset,
    nullable: true,
    description: 'A dataset. Null with an error NOT_FOUND or DATASET_ACCESS_DENIED.',
    args: { id: t.arg.id({ required: true, description: 'UUID, in any letter case, or slug.' }) },
    resolve: (_query, { id }, { catalog }) => catalog.dataset(id),
  }),
}))
