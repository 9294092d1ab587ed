import { writeFileSync } from 'node:fs'
import { openApiDocument } from './document.ts'

// `npm run schema` writes openapi.json anew; test/rest/openapi.test.ts fails when that was forgotten.
writeFileSync(new URL('../../../openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), undefined, 2)}\n`)
