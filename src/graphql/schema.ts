import { type GraphQLEnumType, isEnumType } from 'graphql'
import { builder } from './builder.ts'
import './types/scalars.ts'
import './types/dataset.ts'
import './types/item.ts'
import './types/connection.ts'
import './types/nearby.ts'
import './types/search.ts'
import './types/find.ts'
import './types/suggest.ts'
import './types/facet.ts'
import './types/api-key.ts'
import './types/node.ts'
import './types/image.ts'

/** The GraphQL schema. /graphql and every /v1 route execute their operations on it. */
export const schema = builder.toSchema()

/** An enum of the schema. @throws TypeError if it has none with this name */
export function enumType(name: string): GraphQLEnumType {
  const type = schema.getType(name)
  if (!isEnumType(type)) throw new TypeError(`The schema has no enum ${name}`)
  return type
}
