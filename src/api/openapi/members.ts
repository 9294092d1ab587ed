import {
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  isEnumType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { enumWords, schema } from '../../graphql/schema.ts'
import type { RestRoute } from '../rest/routes.ts'
import { type DefineSchema, type Json, objectOf } from './components.ts'
import { schemaOf } from './json-schema.ts'
import { memberExample } from './parameters.ts'

/*
 * The members of a route's response as JSON Schema (2020-12, which OpenAPI 3.1 uses). The route's GraphQL operation gives their
 * names, the GraphQL schema their types and descriptions.
 */

/** What an operation selects of a type. */
interface Selected {
  type: GraphQLOutputType
  set: SelectionSetNode | undefined
}

/** A member of a response: a field of an operation. */
export interface Member extends Selected {
  name: string
  /** The type that has the field. */
  parent: string
  description: string
}

/** The route's resource in its operation. */
export function resourceOf({ operation, resource }: RestRoute): Member {
  const set = getOperationAST(parse(operation))?.selectionSet
  const type = schema.getQueryType()
  if (!set || !type) throw new TypeError('The route has no operation')
  const start: Member = { name: '', parent: '', description: '', type, set }
  return resource.reduce((place, name) => {
    const member = membersOf(place).find((candidate) => candidate.name === name)
    if (!member) throw new TypeError(`The operation has no ${name}`)
    return member
  }, start)
}

/** The types of an item with its distance. REST puts the distance among the members of the item. */
const WITH_DISTANCE: readonly string[] = ['NearbyItem', 'FoundItem']

/** The members that REST leaves out where GraphQL has null, by GraphQL type. */
const OPTIONAL_MEMBERS: Readonly<Record<string, readonly string[]>> = { FoundItem: ['distance'] }

/** The names of the members of a type that can be absent. */
export function optionalOf({ type }: Selected): readonly string[] {
  return OPTIONAL_MEMBERS[getNamedType(type).name] ?? []
}

/** The members that an operation selects of a type, in the order of the response. */
export function membersOf({ type, set }: Selected): Member[] {
  const parent = getNamedType(type)
  if (!isObjectType(parent) || !set) throw new TypeError(`${parent.name} has no members`)
  return set.selections.flatMap((node) => {
    const name = node.kind === Kind.FIELD ? node.name.value : ''
    const field = parent.getFields()[name]
    if (!field || node.kind !== Kind.FIELD) throw new TypeError(`${parent.name} has no ${name}`)
    const { type, description } = field
    const member = { name, parent: parent.name, description: description ?? '', type, set: node.selectionSet }
    return WITH_DISTANCE.includes(parent.name) && name === 'item' ? membersOf(member) : [member]
  })
}

/** The schemas of members, by name. */
export function propertiesOf(members: readonly Member[], define: DefineSchema): Record<string, Json> {
  const toProperty = ({ name, parent, description, type, set }: Member): [string, Json] => {
    const example = memberExample(parent, name)
    const isPresent = isNonNullType(type) || OPTIONAL_MEMBERS[parent]?.includes(name)
    const ofNamed = (named: GraphQLObjectType | GraphQLEnumType) =>
      isEnumType(named) ? enumOf(named, define) : recordOf({ type: named, set }, define)
    const described = schemaOf(type, ofNamed, isPresent)
    return [name, { ...described, description, ...(example !== undefined && { examples: [example] }) }]
  }
  return Object.fromEntries(members.map(toProperty))
}

/** The schema of a record. It has a name in the document. */
export function recordOf(record: Selected, define: DefineSchema, name = nameOf(record)): Json {
  const properties = propertiesOf(membersOf(record), define)
  return define(name, objectOf(properties, getNamedType(record.type).description ?? '', optionalOf(record)))
}

/** Records refer to datasets with different members. */
function nameOf(record: Selected): string {
  const { name } = getNamedType(record.type)
  if (name !== 'Dataset') return name
  return membersOf(record).some((member) => member.name === 'id') ? 'DatasetAddress' : 'DatasetReference'
}

function enumOf(type: GraphQLEnumType, define: DefineSchema): Json {
  const meanings = type.getValues().map(({ value, description }) => `- \`${value}\`: ${description}`)
  const description = `${type.description}\n\n${meanings.join('\n')}`
  return define(type.name, { type: 'string', description, enum: enumWords(type) })
}
