import { readFileSync, writeFileSync } from 'node:fs'
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal'
import { buildSchema, introspectionFromSchema } from 'graphql'

/** The types of `schema.graphql` as gql.tada wants them. */
export function graphqlEnv(): string {
  const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'))
  const introspection = minifyIntrospection(introspectionFromSchema(schema, { descriptions: false }))
  return outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true })
}

// `npm run schema` writes them anew; clients.test.ts fails when that was forgotten.
if (import.meta.main) writeFileSync(new URL('graphql-env.d.ts', import.meta.url), graphqlEnv())
