import { toIso } from '../../catalog/models.ts'
import { builder } from '../builder.ts'

builder.scalarType('DateTime', {
  description: 'A moment in UTC to the millisecond, as ISO 8601 has it: 2026-01-31T09:00:00.000Z.',
  serialize: toIso,
})

builder.scalarType('Decimal', {
  description:
    'A plain decimal number as a string, up to 7 decimals, without an exponent or trailing zeros: "37.5796".',
  serialize: (decimal) => decimal,
})

builder.scalarType('JSONObject', {
  description: 'A JSON object with members of any kind.',
  serialize: (value) => value,
})
