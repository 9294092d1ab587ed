import {
  type GraphQLInputType,
  type GraphQLNullableInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isScalarType,
} from 'graphql'
import { z } from 'zod'
import { validationFailed } from '../../errors/errors.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import { enumName, enumWords } from '../../graphql/schema.ts'
import { isObject, parseJson } from '../../json.ts'

/*
 * The arguments of a tool. One walk over their GraphQL types makes the schema that parses them, and the one that describes them.
 */

type Members = Readonly<Record<string, unknown>>
type Purpose = 'parse' | 'describe'

/**
 * Returns a function that converts arguments to variables of their operation. It checks only their types: the catalog checks their
 * bounds. Enum values are words of REST, for example `createdAt`, and become names of GraphQL, `CREATED_AT`.
 * It throws `VALIDATION_FAILED`, which names the bad and the unknown arguments.
 */
export function argumentParser(parameters: readonly Parameter[]): (given: Members) => Members {
  const schema = objectOf(parameters, 'parse')
  return (given) => {
    const { data, error } = schema.safeParse(given)
    if (data) return data
    throw validationFailed(
      error.issues.flatMap(({ path, message, ...issue }) => {
        const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
        return names.map((name) => ({ field: name.join('.'), message }))
      }),
    )
  }
}

const inputSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.record(z.string(), z.json())),
  required: z.array(z.string()).exactOptional(),
  additionalProperties: z.literal(false),
})
export type InputSchema = z.output<typeof inputSchema>

/** The JSON Schema (2020-12) of arguments. The descriptions have the bounds of numbers and lengths. */
export function describeArguments(parameters: readonly Parameter[]): InputSchema {
  const described = z.toJSONSchema(objectOf(parameters, 'describe'), {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minimum
      delete jsonSchema.maximum
    },
  })
  const schema = inputSchema.parse(described)
  const withFacts = parameters.map(({ name, defaultValue }) => [
    name,
    { ...schema.properties[name], ...(defaultValue !== undefined && { default: defaultValue }) },
  ])
  return { ...schema, properties: Object.fromEntries(withFacts) }
}

/** A parameter, or a field of an input object. */
type Field = Pick<Parameter, 'name' | 'type' | 'description' | 'isRequired'>

function objectOf(fields: readonly Field[], purpose: Purpose): z.ZodObject {
  const shape = fields.map(({ name, type, isRequired, description }): [string, z.ZodType] => {
    const schema = schemaOf(type, purpose, isRequired)
    return [name, (isRequired ? schema : schema.optional()).meta(description === undefined ? {} : { description })]
  })
  return z.strictObject(Object.fromEntries(shape), mustBe('an object'))
}

/** No member is null: `removeNulls` has removed them. A value that is no text may be given as JSON text, as some agents write it. */
function schemaOf(given: GraphQLInputType, purpose: Purpose, isRequired = true): z.ZodType {
  const type = getNullableType(given)
  const schema = presentSchemaOf(type, purpose)
  const isText = isEnumType(type) || (isScalarType(type) && !(type.name in SCALARS))
  return purpose === 'describe' || isText ? schema : z.preprocess(fromJsonText, isRequired ? schema : schema.optional())
}

/** The number, list, object or truth value of a JSON text, and undefined for that of null; any other value as it is. */
export function fromJsonText(given: unknown): unknown {
  const value = typeof given === 'string' ? parseJson(given) : undefined
  return value === undefined || typeof value === 'string' ? given : removeNulls(value)
}

/**
 * Removes the members that are null from a value of JSON and all in it, and returns it; undefined for null. Go, Java, C# and agents write
 * null for whatever is not set. It is a loop, because a message can be nested thousands of levels deep.
 */
export function removeNulls(value: unknown): unknown {
  const found = [value]
  for (const each of found) {
    if (isObject(each)) for (const [name, member] of Object.entries(each)) if (member === null) delete each[name]
    if (typeof each === 'object' && each !== null) for (const member of Object.values(each)) found.push(member)
  }
  return value ?? undefined
}

function presentSchemaOf(type: GraphQLNullableInputType, purpose: Purpose): z.ZodType {
  if (isListType(type)) return z.array(schemaOf(type.ofType, purpose), mustBe('a list'))
  if (isEnumType(type)) {
    const words = z.enum(enumWords(type), mustBe(`one of ${enumWords(type).join(', ')}`))
    return purpose === 'parse' ? words.transform((word) => enumName(type, word)) : words
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => ({
      ...{ name: field.name, type: field.type, description: field.description ?? '' },
      isRequired: isRequiredInputField(field),
    }))
    return objectOf(fields, purpose)
  }
  return (SCALARS[type.name] ?? text)()
}

/** The messages of a type. */
const mustBe = (what: string) => ({
  error: ({ code, input }: z.core.$ZodRawIssue) => {
    if (input === undefined) return 'is required'
    if (input === null) return 'must not be null'
    if (code === 'unrecognized_keys') return 'is not a parameter'
    // GraphQL's Int has 32 bits.
    return code === 'too_big' ? `must be at most ${2 ** 31 - 1}` : `must be ${what}`
  },
})

const text = () => z.string(mustBe('text'))

/** Scalars that are not listed are text. */
const SCALARS: Readonly<Record<string, () => z.ZodType>> = {
  Int: () => z.int32(mustBe('a whole number')),
  Float: () => z.number(mustBe('a number')),
  Boolean: () => z.boolean(mustBe('true or false')),
}
