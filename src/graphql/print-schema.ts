import { writeFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema.ts'

// `npm run schema` writes schema.graphql anew; test/graphql/schema.test.ts fails when that was forgotten.
writeFileSync(new URL('../../schema.graphql', import.meta.url), `${printSchema(lexicographicSortSchema(schema))}\n`)
