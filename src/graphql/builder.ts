import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import type { Catalog } from '../catalog/catalog.ts'
import { type Item, type Timestamp, toIso } from '../catalog/models.ts'
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

builder.scalarType('DateTime', {
  description: 'Date and time in UTC to the millisecond, in ISO 8601: 2026-01-31T09:00:00.000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: toIso,
})

builder.scalarType('Decimal', {
  description:
    'A plain decimal number as a string, up to 7 decimals, without an exponent or trailing zeros: "37.5796".',
  // The canonical form of XML Schema. scalars.graphql.org has no decimal that is a string.
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: (decimal) => decimal,
})

builder.scalarType('JSONObject', {
  description: 'A JSON object. Its values may be of any JSON type.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  serialize: (value) => value,
})
