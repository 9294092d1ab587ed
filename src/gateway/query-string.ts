import type { z } from 'zod'
import { type Problem, shorten, validationFailed } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'

/** The query string of a request's URL, without the question mark; empty without one. */
export function queryStringOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/**
 * Parses a query string by a route's schema. Each known parameter may occur once. Unknown ones are ignored, unless the
 * schema is strict.
 * @param pathIssues what is wrong with the parameters in the path
 * @throws `VALIDATION_FAILED` that names every bad parameter, also of the path
 */
export function parseQueryString<Schema extends z.ZodObject>(
  schema: Schema,
  queryString: string,
  pathIssues: readonly z.core.$ZodIssue[] = [],
): z.output<Schema> {
  const problems: Problem[] = pathIssues.flatMap((issue) => toProblems(issue, []))
  const values = new Map<string, string>()
  for (const pair of queryString.split('&')) {
    if (pair === '') continue
    const [name, value] = splitPair(pair).map(decode)
    if (name === undefined || value === undefined) {
      problems.push({ field: splitPair(pair)[0], message: 'must be percent-encoded UTF-8 without NUL' })
    } else if (values.has(name) && Object.hasOwn(schema.shape, name)) {
      problems.push({ field: name, message: 'must be given once' })
    } else values.set(name, value)
  }
  const parsed = schema.safeParse(Object.fromEntries(values))
  if (parsed.success && problems.length === 0) return parsed.data
  problems.push(...(parsed.error?.issues ?? []).flatMap((issue) => toProblems(issue, Object.keys(schema.shape))))
  throw validationFailed(problems)
}

/** More ignored parameters are not named, and of each the first characters. */
const MAX_IGNORED = 10

/** The names of the parameters of a query string that a lenient schema ignores, percent-encoded and separated by commas; undefined without any. */
export function ignoredParameters(queryString: string, known: readonly string[]): string | undefined {
  if (queryString === '') return undefined
  const names = queryString.split('&').flatMap((pair) => (pair && decode(splitPair(pair)[0])) || [])
  const ignored = [...new Set(names)].filter((name) => !known.includes(name)).slice(0, MAX_IGNORED)
  return ignored.map((name) => encodeURIComponent(shorten(name, MAX_COMPARED).toWellFormed())).join(', ') || undefined
}

/** A strict schema has one issue for all unknown parameters. */
function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): Problem[] {
  const field = issue.path.length === 0 ? null : issue.path.map(String).join('.')
  if (issue.code !== 'unrecognized_keys') return [{ field, message: issue.message }]
  return issue.keys.map((key) => unknownParameter(key, known))
}

/** The error names the nearest known parameter. */
function unknownParameter(field: string, known: readonly string[]): Problem {
  const message = () => {
    const nearest = nearestName(shorten(field, MAX_COMPARED), known)
    const hint = nearest === undefined ? '' : `; the nearest one is ${nearest}`
    return `is not a parameter of this resource${hint}`
  }
  return { field, message }
}

/** Characters of a name that are compared with the known names, which are shorter. */
const MAX_COMPARED = 40

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
}

/** Decodes as https://url.spec.whatwg.org/#urlencoded-parsing does; undefined for NUL and for bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? undefined : decoded
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
