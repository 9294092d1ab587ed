import type { ObjectRef } from '@pothos/core'
import type { Connection, Edge } from '../../catalog/connection.ts'
import { parseConnectionArguments, parseDatasetConnectionArguments } from '../../catalog/cursor.ts'
import { builder } from '../builder.ts'
import { itemListArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item } from './item.ts'

const PageInfo = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'The first and last cursor of a page, and whether others precede and follow it.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more follow this page.',
      resolve: (connection) => connection.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether more precede this page.',
      resolve: (connection) => connection.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The first cursor of this page; null when the page is empty.',
      resolve: async (connection) => (await connection.edges())[0]?.cursor(),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The last cursor of this page; null when the page is empty.',
      resolve: async (connection) => (await connection.edges()).at(-1)?.cursor(),
    }),
  }),
})

/** Defines the types of a connection and of its edges, which are named after their node. */
function connectionType<Node>(
  name: string,
  node: ObjectRef<typeof builder.$inferSchemaTypes, Node>,
  descriptions: { edge: string; cursor: string; connection: string; total: string },
) {
  const noun = name.toLowerCase()
  const edge = builder.objectRef<Edge<Node>>(`${name}Edge`).implement({
    description: descriptions.edge,
    fields: (t) => ({
      cursor: t.string({ description: descriptions.cursor, resolve: ({ cursor }) => cursor() }),
      node: t.expose('node', { type: node, description: `The ${noun}.` }),
    }),
  })
  return builder.objectRef<Connection<Node>>(`${name}Connection`).implement({
    description: descriptions.connection,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: `The ${noun}s of this page, each with its cursor.`,
        resolve: (connection) => connection.edges(),
      }),
      nodes: t.field({
        type: [node],
        description: `The ${noun}s of this page.`,
        resolve: async (connection) => (await connection.edges()).map(({ node }) => node),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: `Cursors of this page, and whether ${noun}s precede and follow it.`,
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description: descriptions.total,
        extensions: { cost: 5 },
        resolve: (connection) => connection.totalCount(),
      }),
    }),
  })
}

const ItemConnection = connectionType('Item', Item, {
  edge: 'An item of a connection, with its cursor.',
  cursor:
    'Position of the item, for after or before. It is valid for one dataset and one sort key, in both directions and with any filter.',
  connection: 'A page of items that starts at a cursor (Relay connection). A page takes the same time at any depth.',
  total: 'Number of matching items on all pages.',
})

const DatasetConnection = connectionType('Dataset', Dataset, {
  edge: 'A dataset of a connection, with its cursor.',
  cursor: 'Position of the dataset, for after or before, in both directions.',
  connection: 'A page of datasets that starts at a cursor (Relay connection).',
  total: 'Number of datasets on all pages.',
})

const connectionArgs = builder.args((t) => ({
  first: t.int({
    description:
      'Return this number from the start of the list or after the cursor, 1 to 100. Without first and last it is 20.',
  }),
  after: t.string({ description: 'Return only what comes after this cursor.' }),
  last: t.int({
    description: 'Return this number from the end of the list or before the cursor, 1 to 100. Not together with first.',
  }),
  before: t.string({ description: 'Return only what comes before this cursor.' }),
}))

builder.queryField('datasetConnection', (t) =>
  t.field({
    type: DatasetConnection,
    description:
      'The datasets that the API key may access, by name, then id, as a Relay connection: forward with first and after, backward with last and before.',
    args: connectionArgs,
    resolve: (_query, args, { catalog }) => catalog.datasetConnection(parseDatasetConnectionArguments(args)),
  }),
)

builder.prismaObjectField(Dataset, 'itemConnection', (t) =>
  t.field({
    type: ItemConnection,
    description:
      'The items of the dataset as a Relay connection: forward with first and after, backward with last and before.',
    extensions: { cost: 10 },
    args: { ...connectionArgs, ...itemListArgs },
    resolve: (dataset, args, { catalog, projections }, info) =>
      catalog.itemConnectionOf(dataset, parseConnectionArguments(args, dataset.id), projections.ofList(info)),
  }),
)
