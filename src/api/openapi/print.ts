import { writeFileSync } from 'node:fs'
import { openApiDocument } from './documents.ts'

// `npm run schema` writes openapi.json. test/openapi/rest.test.ts fails if the file is out of date.
writeFileSync(new URL('../../../openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), undefined, 2)}\n`)
