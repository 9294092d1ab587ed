import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { enumWord, schema } from '../schema.ts'

/** A parameter of a REST route or of a tool: a variable of its operation. */
export interface Parameter {
  name: string
  type: GraphQLInputType
  /** The description of the variable, or else of the argument to which the operation passes it. */
  description: string | undefined
  /** The description of that argument. */
  argumentDescription: string | undefined
  /** The default of the variable, or else of that argument. Enum values are words of REST (schema.ts). */
  defaultValue: string | number | boolean | undefined
  isRequired: boolean
  /** Whether null is a value, and not the same as nothing. */
  hasNull: boolean
}

/** The parameters of a valid document with one operation, in the order of its variables. */
export function parametersOf(document: DocumentNode): Parameter[] {
  const variables: VariableDefinitionNode[] = []
  const passedTo = new Map<string, GraphQLArgument>()
  const typeInfo = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: (definition) => void variables.push(definition),
      Argument: ({ value }) => {
        const argument = typeInfo.getArgument()
        if (value.kind === Kind.VARIABLE && argument) passedTo.set(value.name.value, argument)
      },
    }),
  )
  return variables.map((definition) => parameterOf(definition, passedTo.get(definition.variable.name.value)))
}

/** The arguments of a field of the schema, as parameters. */
export function argumentsOf(typeName: string, fieldName: string): Parameter[] {
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  if (!field) throw new TypeError(`The schema has no ${typeName}.${fieldName}`)
  return field.args.map(describeArgument)
}

function describeArgument(argument: GraphQLArgument): Parameter {
  const { name, type } = argument
  const description = argument.description ?? undefined
  const defaultValue: unknown = argument.default?.value ?? argument.defaultValue
  return {
    name,
    type,
    description,
    argumentDescription: description,
    defaultValue: isScalar(defaultValue) ? defaultValue : undefined,
    isRequired: isNonNullType(type) && defaultValue === undefined,
    hasNull: name === 'parentItemId',
  }
}

function parameterOf(definition: VariableDefinitionNode, argument: GraphQLArgument | undefined): Parameter {
  const name = definition.variable.name.value
  const type = typeFromAST(schema, definition.type)
  if (!isInputType(type)) throw new TypeError(`$${name} has no input type`)
  const own = definition.defaultValue && toWord(type, valueFromASTUntyped(definition.defaultValue))
  const passed = argument && describeArgument(argument)
  return {
    name,
    type,
    description: definition.description?.value ?? passed?.description,
    argumentDescription: passed?.description,
    defaultValue: isScalar(own) ? own : passed?.defaultValue,
    isRequired: isNonNullType(type) && own === undefined,
    hasNull: passed?.hasNull === true && !isNonNullType(type),
  }
}

/** REST's word for an enum value, which GraphQL names in upper case; any other value as it is. */
function toWord(type: GraphQLInputType, value: unknown): unknown {
  const nullable = getNullableType(type)
  return isEnumType(nullable) && typeof value === 'string' ? enumWord(nullable, value) : value
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
