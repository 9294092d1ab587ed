// Generates the Prisma client and the Pothos types (after every `npm install`). Each `prisma` command downloads its
// schema engine first, unless told of an executable; generating never runs it, so any will do.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

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
