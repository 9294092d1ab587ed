import { writeFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema.ts'

// `npm run schema` writes schema.graphql. test/graphql/schema.test.ts fails if the file is out of date.
writeFileSync(new URL('../../schema.graphql', import.meta.url), `${printSchema(lexicographicSortSchema(schema))}\n`)
