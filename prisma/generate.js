// Generates the Prisma client and the Pothos types into src/generated (after every `npm install`). Every `prisma` command first
// downloads its schema engine, unless a variable names an executable. Generating never runs the engine, so any executable will do.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// `npx catalog` counts as an install of this package too: what is generated may be in use then, and is up to date.
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
process.stdout.write('Generated src/generated\n')
