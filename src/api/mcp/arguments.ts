import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { type Problem, validationFailed } from '../../errors/errors.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import { enumName, enumWords } from '../../graphql/schema.ts'

type Members = Readonly<Record<string, unknown>>

/** A parameter, or a field of an input object. */
type Field = Pick<Parameter, 'name' | 'type' | 'isRequired'>

/**
 * Converts the arguments of a tool call to variables of its operation. It checks only their types: the catalog checks their
 * bounds. Enum values are words of REST, for example `createdAt`, and become names of GraphQL, `CREATED_AT`.
 * @throws `VALIDATION_FAILED`, which names the bad and the unknown arguments
 */
export function toVariables(parameters: readonly Parameter[], given: Members): Members {
  const problems: Problem[] = []
  const variables = convertMembers(parameters, given, '', problems)
  if (problems.length > 0) throw validationFailed(problems)
  return variables
}

/** Converts the members of an object, and adds what is wrong to `problems`. */
function convertMembers(fields: readonly Field[], given: Members, prefix: string, problems: Problem[]): Members {
  for (const key of Object.keys(given)) {
    if (fields.some(({ name }) => name === key)) continue
    problems.push({ field: prefix + key, message: 'is not a parameter' })
  }
  const converted: Record<string, unknown> = {}
  for (const { name, type, isRequired } of fields) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const field = prefix + name
    if (value !== undefined) converted[name] = convert(type, value, field, problems)
    else if (isRequired) problems.push({ field, message: 'is required' })
  }
  return converted
}

/** The GraphQL value of a JSON value. Undefined, with an entry in `problems`, if it has another type. */
function convert(type: GraphQLInputType, value: unknown, field: string, problems: Problem[]): unknown {
  const fail = (message: string) => void problems.push({ field, message })
  if (isNonNullType(type))
    return value === null ? fail('must not be null') : convert(type.ofType, value, field, problems)
  if (value === null) return null
  if (isListType(type)) {
    if (!Array.isArray(value)) return fail('must be a list')
    return value.map((element, n) => convert(type.ofType, element, `${field}.${n}`, problems))
  }
  if (isEnumType(type)) {
    return enumName(type, value) ?? fail(`must be one of ${enumWords(type).join(', ')}`)
  }
  if (isInputObjectType(type)) {
    if (!isObject(value)) return fail('must be an object')
    const fields = Object.values(type.getFields())
    const required = fields.map((each): Field => ({ ...each, isRequired: isRequiredInputField(each) }))
    return convertMembers(required, value, `${field}.`, problems)
  }
  const problem = (SCALARS[type.name] ?? textProblem)(value)
  return problem === undefined ? value : fail(problem)
}

/** GraphQL's Int has 32 bits. */
const MAX_INT = 2 ** 31 - 1

/** What is wrong with a JSON value for a scalar; undefined if nothing is. Scalars that are not listed are text. */
const SCALARS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  Int: (value) => {
    if (!Number.isInteger(value)) return 'must be a whole number'
    return Math.abs(Number(value)) > MAX_INT ? `must be at most ${MAX_INT}` : undefined
  },
  Float: (value) => (Number.isFinite(value) ? undefined : 'must be a number'),
  Boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
}

function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be text'
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
