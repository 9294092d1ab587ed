import { type GraphQLEnumType, isEnumType } from 'graphql'
import { builder } from './builder.ts'
import './types/connection.ts'
import './types/search.ts'
import './types/api-key.ts'
import './types/node.ts'

/** The GraphQL schema. /graphql and every /v1 route execute their operations on it. */
export const schema = builder.toSchema()

/** An enum of the schema. @throws TypeError if it has none with this name */
export function enumType(name: string): GraphQLEnumType {
  const type = schema.getType(name)
  if (!isEnumType(type)) throw new TypeError(`The schema has no enum ${name}`)
  return type
}

/*
 * GraphQL names the values of an enum in upper case, `CREATED_AT`. REST and the tools for agents use the words of the code,
 * `createdAt`, which are the values of the enum type.
 */

/** The words of an enum, in the order of the schema. */
export function enumWords(type: GraphQLEnumType): string[] {
  return type.getValues().map(({ value }) => String(value))
}

/** The GraphQL name of a word; undefined if the enum has no such word. */
export function enumName(type: GraphQLEnumType, word: unknown): string | undefined {
  return type.getValues().find(({ value }) => value === word)?.name
}

/** The word of a GraphQL name. @throws TypeError if the enum has no such name */
export function enumWord(type: GraphQLEnumType, name: string): string {
  const value = type.getValue(name)
  if (!value) throw new TypeError(`${type.name} has no ${name}`)
  return String(value.value)
}
