import type { ItemConnection as Connection } from '../../catalog/connection.ts'
import { parseConnectionArguments } from '../../catalog/cursor.ts'
import type { Item as ItemRow } from '../../catalog/models.ts'
import { builder } from '../builder.ts'
import { listProjection } from '../operation/selected-fields.ts'
import { itemListArgs } from './arguments.ts'
import { Dataset } from './dataset.ts'
import { Item } from './item.ts'

const ItemEdge = builder.objectRef<{ connection: Connection; item: ItemRow }>('ItemEdge').implement({
  description: 'An item of a connection, with its cursor.',
  fields: (t) => ({
    cursor: t.string({
      description:
        'Position of the item, for after or before. It is valid for one dataset and one sort key, in both directions and with any filter.',
      resolve: ({ connection, item }) => connection.cursorOf(item),
    }),
    node: t.expose('item', { type: Item, description: 'The item.' }),
  }),
})

const PageInfo = builder.objectRef<Connection>('PageInfo').implement({
  description: 'The first and last cursor of a page, and whether items precede and follow it.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more items follow this page.',
      resolve: (connection) => connection.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether more items precede this page.',
      resolve: (connection) => connection.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first item of this page; null when the page is empty.',
      resolve: async (connection) => cursorAt(connection, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last item of this page; null when the page is empty.',
      resolve: async (connection) => cursorAt(connection, -1),
    }),
  }),
})

async function cursorAt(connection: Connection, index: number): Promise<string | null> {
  const item = (await connection.nodes()).at(index)
  return item ? connection.cursorOf(item) : null
}

const ItemConnection = builder.objectRef<Connection>('ItemConnection').implement({
  description: 'A page of items that starts at a cursor (Relay connection). A page takes the same time at any depth.',
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
      description: 'Cursors of this page, and whether items precede and follow it.',
      resolve: (connection) => connection,
    }),
    totalCount: t.int({
      description: 'Number of matching items on all pages.',
      extensions: { cost: 5 },
      resolve: (connection) => connection.totalCount(),
    }),
  }),
})

builder.prismaObjectField(Dataset, 'itemConnection', (t) =>
  t.field({
    type: ItemConnection,
    description:
      'The items of the dataset as a Relay connection: forward with first and after, backward with last and before.',
    extensions: { cost: 10 },
    args: {
      first: t.arg.int({
        description:
          'Return this number of items from the start of the list or after the cursor, 1 to 100. Without first and last it is 20.',
      }),
      after: t.arg.string({ description: 'Return items after this cursor.' }),
      last: t.arg.int({
        description:
          'Return this number of items from the end of the list or before the cursor, 1 to 100. Not together with first.',
      }),
      before: t.arg.string({ description: 'Return items before this cursor.' }),
      ...itemListArgs,
    },
    resolve: (dataset, args, { catalog }, info) =>
      catalog.itemConnectionOf(dataset, parseConnectionArguments(args, dataset.id), listProjection(info)),
  }),
)
