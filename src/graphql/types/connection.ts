import { itemConnectionArguments, parseArguments } from '../../catalog/arguments.ts'
import type { ItemConnection as Connection } from '../../catalog/connection.ts'
import type { Item as ItemRow } from '../../catalog/models.ts'
import { builder } from '../builder.ts'
import { listProjection } from '../selection.ts'
import { itemListArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item } from './item.ts'

const ItemEdge = builder.objectRef<{ connection: Connection; item: ItemRow }>('ItemEdge').implement({
  description: 'An item in its place in a connection.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Stands for this place, to go on from with after or before; it belongs to one dataset and one sort.',
      resolve: ({ connection, item }) => connection.cursorOf(item),
    }),
    node: t.expose('item', { type: Item, description: 'The item.' }),
  }),
})

const PageInfo = builder.objectRef<Connection>('PageInfo').implement({
  description: 'What lies around a page of a connection.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether there is more after this page.',
      resolve: (connection) => connection.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether there is more before this page.',
      resolve: (connection) => connection.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first item of this page; null when it is empty.',
      resolve: async (connection) => cursorAt(connection, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last item of this page; null when it is empty.',
      resolve: async (connection) => cursorAt(connection, -1),
    }),
  }),
})

async function cursorAt(connection: Connection, index: number): Promise<string | null> {
  const item = (await connection.nodes()).at(index)
  return item ? connection.cursorOf(item) : null
}

const ItemConnection = builder.objectRef<Connection>('ItemConnection').implement({
  description: 'A page of items that goes on from a cursor, at the same cost however deep it lies (Relay connection).',
  fields: (t) => ({
    edges: t.field({
      type: [ItemEdge],
      description: 'The items of this page, each with its cursor.',
      resolve: async (connection) => (await connection.nodes()).map((item) => ({ connection, item })),
    }),
    nodes: t.field({
      type: [Item],
      description: 'The items of this page.',
      resolve: (connection) => connection.nodes(),
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'What lies around this page.',
      resolve: (connection) => connection,
    }),
    totalCount: t.int({
      description: 'How many items match, on all pages; counted only when it is asked for.',
      resolve: (connection) => connection.totalCount(),
    }),
  }),
})

builder.prismaObjectField(Dataset, 'itemConnection', (t) =>
  t.field({
    type: ItemConnection,
    description:
      'The items of the dataset as a Relay connection: forward with first and after, backward with last and before.',
    args: {
      first: t.arg.int({
        description: 'So many from the start or after a cursor, 1 to 100; 20 when neither first nor last is given.',
      }),
      after: t.arg.string({ description: 'Go on after the place of this cursor.' }),
      last: t.arg.int({ description: 'So many before the end or before a cursor, 1 to 100; not together with first.' }),
      before: t.arg.string({ description: 'End before the place of this cursor.' }),
      ...itemListArgs,
    },
    resolve: (dataset, args, { catalog }, info) =>
      catalog.itemConnectionOf(
        dataset,
        parseArguments(itemConnectionArguments, args),
        listProjection(info, [['nodes'], ['edges', 'node']], 'totalCount'),
      ),
  }),
)
