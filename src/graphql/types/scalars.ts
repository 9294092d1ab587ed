import { toIso } from '../../catalog/models.ts'
import { builder } from '../builder.ts'

builder.scalarType('DateTime', {
  description: 'Date and time in UTC to the millisecond, in ISO 8601: 2026-01-31T09:00:00.000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: toIso,
})

builder.scalarType('Decimal', {
  description:
    'A plain decimal number as a string, up to 7 decimals, without an exponent or trailing zeros: "37.5796".',
  // The canonical form of XML Schema. scalars.graphql.org has no decimal that is a string.
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: (decimal) => decimal,
})

builder.scalarType('JSONObject', {
  description: 'A JSON object. Its values may be of any JSON type.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  serialize: (value) => value,
})
