// Generates the Prisma client, the Pothos types, the bundle of PostGIS, the base map and a new database in src/generated, after every
// `npm install`. It runs the generators themselves, because the package `prisma` has 200 MB of other things and downloads an engine.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LEAN_POSTGIS, writeLeanPostgis } from '../src/embedded/lean-postgis.ts'
import { writeBaseMap } from './base-map.js'
import { writeCluster } from './cluster.js'
import { removeUnused } from './unused.js'

// `npx catalog` runs this script too. The generated files are up to date then, and another process may use them.
if (process.env.npm_command === 'exec') process.exit()

// The ES modules of these packages import a file that they lack.
const require = createRequire(import.meta.url)
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts')
const { getGenerators, loadSchemaContext } = require('@prisma/internals')

const schemaContext = await loadSchemaContext({
  schemaPath: { cliProvidedPath: fileURLToPath(new URL('schema.prisma', import.meta.url)) },
  printLoadMessage: false,
})
const generators = await getGenerators({
  schemaContext,
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
  cliCommand: 'generate',
})
for (const generator of generators) {
  await generator.generate()
  generator.stop()
}
rmSync(LEAN_POSTGIS, { force: true })
await writeLeanPostgis()
writeBaseMap()
try {
  await writeCluster()
} catch (error) {
  process.stdout.write(`The first start creates the database, because it could not be made now: ${error.message}\n`)
}
if (process.env.npm_lifecycle_event === 'dependencies') removeUnused()
process.stdout.write('Generated src/generated\n')
