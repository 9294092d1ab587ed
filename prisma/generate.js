// Generates the Prisma client, the Pothos types, the bundle of PostGIS and the base map in src/generated, after every
// `npm install`. A `prisma` command first downloads its schema engine, unless a variable names an executable. `prisma generate`
// never runs the engine, so any executable works.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { writeBaseMap } from './base-map.js'
import { writePostgis } from './postgis.js'

// `npx catalog` runs this install script too. The generated files are up to date then, and another process may use them.
if (process.env.npm_command === 'exec') process.exit()

const prisma = fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url))
const { status, stderr } = spawnSync(process.execPath, [prisma, 'generate'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: ['ignore', 'ignore', 'pipe'],
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
})
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(1)
}
writePostgis()
writeBaseMap()
process.stdout.write('Generated src/generated\n')
