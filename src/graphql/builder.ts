import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import type { Catalog } from '../catalog/catalog.ts'
import type { Item, Timestamp } from '../catalog/models.ts'
import type GeneratedTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { Projections } from './operation/selected-fields.ts'

/** Prisma's types, with the catalog's type for items. */
interface PrismaTypes extends Omit<GeneratedTypes, 'Item'> {
  Item: Omit<GeneratedTypes['Item'], 'Shape'> & { Shape: Item }
}

/** The context that every resolver receives. */
export interface GraphQLContext {
  /** Scoped to the caller's key. There is no other access to the database. */
  catalog: Catalog
  /** What each field of the document reads. */
  projections: Projections
}

/** The builder of the GraphQL schema. It has no database client: resolvers read through `GraphQLContext.catalog`. */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: never; Output: Timestamp }
    Decimal: { Input: never; Output: string }
    JSONObject: { Input: never; Output: string }
  }
}>({
  plugins: [PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: () => {
      throw new Error('Types must read through the catalog, which is scoped to the API key')
    },
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    onUnusedQuery: 'error',
  },
})

builder.queryType({ description: 'The catalog. Each field returns only what the API key may access.' })
