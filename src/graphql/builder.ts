import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import type { Catalog } from '../catalog/catalog.ts'
import type { Item, Timestamp } from '../catalog/models.ts'
import type GeneratedTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { Prisma } from '../generated/prisma/client.ts'

/** Prisma's types, but for items as the catalog gives them. */
interface PrismaTypes extends Omit<GeneratedTypes, 'Item'> {
  Item: Omit<GeneratedTypes['Item'], 'Shape'> & { Shape: Item }
}

/** What a resolver has: the catalog as the caller's key may read it, and no other way to the database. */
export interface GraphQLContext {
  catalog: Catalog
}

/** The builder of the one schema. It holds no types and opens no database. */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: never; Output: Timestamp }
    Decimal: { Input: never; Output: string }
    JSONObject: { Input: never; Output: Prisma.JsonValue }
  }
}>({
  plugins: [PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: () => {
      throw new Error('Types reach the database through the catalog, which knows the key')
    },
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    onUnusedQuery: 'error',
  },
})

builder.queryType({ description: 'Everything there is to read. Each field gives only what the API key may access.' })
