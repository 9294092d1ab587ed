import { z } from 'zod'
import { isSlug, uuid } from '../catalog/arguments.ts'
import { columnName } from '../catalog/columns.ts'
import { isEmailAddress, isWebAddress } from '../config/contact.ts'
import { optionalText, text, timestamp } from './field-schemas.ts'

/** Text of a form, or null for no value. */
function optional(isValid: (value: string) => boolean, message: string) {
  return optionalText.refine((value) => value === null || isValid(value), message)
}

/** @see https://spdx.github.io/spdx-spec/v3.0.1/annexes/spdx-license-expressions/ */
const isSpdx = (value: string) => /^[A-Za-z0-9.-]{1,100}\+?$/.test(value)
const isDate = (value: string) => z.iso.date().safeParse(value).success

/** The fields of a dataset that a manifest gives. */
export const datasetFields = z.strictObject({
  id: uuid.optional(),
  slug: z.string().refine(isSlug, 'must be letters, digits and ._~- (at most 200), and not a UUID'),
  name: text,
  description: optionalText,
  status: z.enum(['draft', 'active', 'inactive', 'archived']),
  visibility: z.enum(['public', 'restricted', 'paid']),
  accessTier: optionalText,
  attribution: text,
  license: optional(
    (value) => isSpdx(value) || isWebAddress(value),
    'must be an SPDX identifier, such as CC-BY-4.0, or a URL',
  ),
  publisher: optionalText,
  contact: optional((value) => isEmailAddress(value) || isWebAddress(value), 'must be an e-mail address or a URL'),
  termsUrl: optional(isWebAddress, 'must be a URL that begins with http:// or https://'),
  sourceUrl: optional(isWebAddress, 'must be a URL that begins with http:// or https://'),
  sourceDate: optional(isDate, 'must be a date, such as 2026-01-31'),
  updateFrequency: optionalText,
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
})

/** The columns of a dataset that each import sets. */
export const IMPORTED_COLUMNS = Object.keys(
  datasetFields.omit({ id: true, slug: true, createdAt: true, updatedAt: true }).shape,
).map(columnName)

/** The values of the fields, by their columns. */
export function columnsOf(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [columnName(field), value]))
}
