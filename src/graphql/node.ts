import { builder } from './builder.ts'

/** Whatever has a UUID of its own. */
export const Node = builder.interfaceRef<{ id: string }>('Node').implement({
  description: 'Something with a UUID of its own: a dataset, an item or an image.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'UUID, the same in GraphQL and REST.' }) }),
})
