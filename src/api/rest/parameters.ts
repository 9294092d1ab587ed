import { type GraphQLEnumType, getNullableType, isEnumType } from 'graphql'
import { z } from 'zod'
import * as domain from '../../catalog/arguments.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import { enumName } from '../../graphql/schema.ts'

/*
 * Parses the text of each parameter. The variables of a route's operation give the names and types, catalog/arguments.ts the valid
 * values.
 */

/** A whole number, such as `20`. */
export const wholeNumber = z
  .string()
  .regex(/^[0-9]+$/, 'must be a whole number in decimal digits')
  .transform(Number)

/** A number of /v1, which has no exponent. Its bounds hold for the number as written. */
const plainNumber = (valid: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^[+-]?[0-9]+(\.[0-9]+)?$/, 'must be a plain decimal number')
    .transform((text) => domain.parseBounded(text, valid))
    .pipe(valid)

const decimalNumber = (valid: z.ZodType<number, number>) =>
  z.string().regex(domain.NUMBER, 'must be a decimal number').transform(Number).pipe(valid)

/** A box as west,south,east,north. The error names the parameter, and the edge in its message. */
const box = z.string().transform((text, context) => {
  const [west, south, east, north, ...others] = domain.parseNumbers(text) ?? []
  if (north === undefined || others.length > 0) {
    context.addIssue('must be west,south,east,north in decimal degrees')
    return z.NEVER
  }
  const parsed = domain.boundingBox.safeParse({ west, south, east, north })
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) context.addIssue(`has a ${path.join('.')} that ${message}`)
  return z.NEVER
})

/** A UUID, or the text `null`. */
const parentItemId = z
  .string()
  .transform((text) => (text === 'null' ? null : text))
  .pipe(z.union([z.null(), domain.uuid], 'must be a UUID or null'))

/** One of the words of a GraphQL enum, which becomes its name. The error lists the words in the given order. */
function enumParameter(words: readonly string[], type: GraphQLEnumType) {
  return z.enum(words, `must be one of ${words.join(', ')}`).transform((word) => enumName(type, word))
}

/** What a parameter is in GraphQL: the variable of an operation, or the argument of a field. */
type Described = Pick<Parameter, 'name' | 'type' | 'isRequired'>

/**
 * The schema of a query string with some of these parameters, in the order of the names.
 * @param isV1 whether it is of /v1, which ignores unknown parameters and takes only plain numbers; all other paths are strict
 * @throws TypeError for a name that no parameter has, and for a parameter without a text
 */
export function querySchema(parameters: readonly Described[], names: readonly string[], isV1 = false): z.ZodObject {
  const shape = names.map((name) => {
    const parameter = parameters.find((candidate) => candidate.name === name)
    if (!parameter) throw new TypeError(`The operation has no $${name}`)
    const schema = textOf(parameter, isV1)
    return [name, parameter.isRequired ? z.string('is required').pipe(schema) : schema.optional()]
  })
  const query = Object.fromEntries(shape)
  return isV1 ? z.object(query) : z.strictObject(query)
}

/** The schema that parses the text of a parameter. */
function textOf({ name, type }: Described, isV1: boolean): z.ZodType<unknown, string> {
  if (name === 'parentItemId') return parentItemId
  const nullable = getNullableType(type)
  const numbers = (isV1 ? domain.NUMBERS_AS_WRITTEN : domain.NUMBERS).get(name)
  const [texts, words] = [domain.TEXTS.get(name), domain.WORDS.get(name)]
  if (isEnumType(nullable) && words) return enumParameter(words, nullable)
  if (String(nullable) === 'BoundingBox') return box
  if (String(nullable) === 'Int' && numbers) return wholeNumber.pipe(numbers)
  if (String(nullable) === 'Float' && numbers) return isV1 ? plainNumber(numbers) : decimalNumber(numbers)
  if (!texts) throw new TypeError(`catalog/arguments.ts has no values of ${name}`)
  return texts
}
