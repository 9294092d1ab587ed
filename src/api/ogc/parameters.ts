import { z } from 'zod'
import * as domain from '../../catalog/arguments.ts'
import { mapFilters } from '../../catalog/filters.ts'
import { validationFailed } from '../../errors/errors.ts'
import { wholeNumber } from '../rest/parameters.ts'
import { type Problem, parseBbox } from './bbox.ts'
import { parseDatetime } from './datetime.ts'
import { CRS84, type Forms } from './media-types.ts'

/*
 * The query parameters. Each has a schema that parses its text. A parameter that the resource does not know is an error
 * (OGC 17-069r4, requirement /req/core/query-param-unknown).
 */

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 10_000

const limit = wholeNumber
  .pipe(z.number().min(1, 'must be at least 1'))
  // A greater limit is not an error (OGC 17-069r4, section 7.15.2).
  .transform((number) => Math.min(number, MAX_LIMIT))

/** A schema that parses text by a function. */
function parsed<Value extends object>(parse: (text: string) => Value | Problem) {
  return z.string().transform((text, context): Value => {
    const value = parse(text)
    if (!('problem' in value)) return value
    context.addIssue(value.problem)
    return z.NEVER
  })
}

const crs = z.literal(CRS84, `must be ${CRS84}`).optional()

/** The parameter of all resources: the form of the response, instead of `Accept`. */
export const formParameter = (forms: Forms) => z.enum(forms, `must be one of ${forms.join(', ')}`).optional()
export interface FormShape {
  f: ReturnType<typeof formParameter>
}

/** The parameters of a feature. */
export const featureParameters = { crs }

/** The parameters of the features of a collection. */
export const featuresParameters = {
  limit: limit.optional(),
  bbox: parsed(parseBbox).optional(),
  'bbox-crs': crs,
  crs,
  datetime: parsed(parseDatetime).optional(),
  ...mapFilters(() => domain.filterValue.optional()),
  after: domain.uuid.optional(),
  offset: wholeNumber.optional(),
  startindex: wholeNumber.optional(),
}

/** The parameters by which a page of features starts. */
interface PageStart {
  after?: string | undefined
  offset?: number | undefined
  startindex?: number | undefined
}

/**
 * The start of a page. `startindex` is the older name of `offset`. Zero is no start: forms send it beside another parameter.
 * @throws `VALIDATION_FAILED` if more than one of the parameters is given
 */
export function pageStart(given: PageStart): Pick<PageStart, 'after' | 'offset'> {
  const { after, offset, startindex } = given
  const [first, second] = (['after', 'offset', 'startindex'] as const).filter((name) => given[name])
  if (second !== undefined)
    throw validationFailed([{ field: second, message: `must not be given together with ${first}` }])
  return { after, offset: offset || startindex }
}
