import { z } from 'zod'
import { isSlug, uuid } from '../catalog/arguments.ts'
import { optionalText, text, timestamp } from './row/field-schemas.ts'

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
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
})
