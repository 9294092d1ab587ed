import type { CatalogNode } from '../../catalog/catalog.ts'
import { validationFailed } from '../../errors/errors.ts'
import { builder } from '../builder.ts'

const MAX_IDS = 100

/** The interface of every type with a UUID. */
export const Node = builder.interfaceRef<{ id: string; type?: CatalogNode['type'] }>('Node').implement({
  description: 'A dataset, an item or an image.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'UUID, the same in GraphQL and REST.' }) }),
  resolveType: (node) => node.type,
})

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description:
      'The dataset, item or image with this UUID. Null if it does not exist or the API key may not access it.',
    args: { id: t.arg.id({ required: true, description: 'UUID, in any letter case.' }) },
    resolve: async (_query, { id }, { catalog }) => {
      const [node] = await catalog.nodes([id])
      return node
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'The datasets, items and images with these UUIDs, in the same order. Null for each one that does not exist or that the API key may not access.',
    args: { ids: t.arg.idList({ required: true, description: `UUIDs, in any letter case; at most ${MAX_IDS}.` }) },
    resolve: (_query, { ids }, { catalog }) => {
      if (ids.length > MAX_IDS)
        throw validationFailed([{ field: 'ids', message: `must have at most ${MAX_IDS} elements` }])
      return catalog.nodes(ids)
    },
  }),
}))
