// Generates the Prisma client and the Pothos types (after every `npm install`). Each `prisma` command downloads its
// schema engine first, unless told of an executable; generating never runs it, so any will do.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// `npx catalog` counts as an install of this package too: what is generated may be in use then, and is up to date.
if (process.env.npm_command === 'exec') process.exit()

const prisma = fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url))
const { status } = spawnSync(process.execPath, [prisma, 'generate'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
})
process.exitCode = status ?? 1
