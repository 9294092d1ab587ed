import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { leftOut } from './test/suites.ts'
import { LongestFirst } from './test/support/longest-first.ts'

// Each worker and each command starts a process. With compiled modules from a cache, one takes a third less CPU time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

const ISOLATED = 'test/**/*.isolated.test.ts'
const BROWSER = 'test/browser/**/*.test.ts'
const SMOKE = 'test/smoke/**/*.test.ts'
// Not `exclude`, which would replace the --exclude of the command line.
const NOT = leftOut(process.env.TEST_SUITE, process.env.TEST_DATABASE_URL !== undefined).map((pattern) => `!${pattern}`)

// Vitest ignores --sequence.shuffle.files if there is a sequencer.
const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'))

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    ...(!isShuffled && { sequence: { sequencer: LongestFirst } }),
    // Node runs the tests as it runs the gateway; Vite's own module runner would load a second copy of graphql.
    experimental: { viteModuleRunner: false },
    // Each worker takes half a gigabyte, and its embedded database as much.
    maxWorkers: 2,
    // The longest test takes three minutes, and a busy machine may be ten times as slow. A test that hangs is what these are for.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 180_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'in-process',
          include: ['test/**/*.test.ts', `!${ISOLATED}`, `!${BROWSER}`, `!${SMOKE}`, ...NOT],
          isolate: false,
          // A process that runs many files would let its heap grow to a gigabyte before it collects garbage.
          execArgv: ['--max-old-space-size=768', '--max-semi-space-size=8'],
        },
      },
      { extends: true, test: { name: 'isolated', include: [ISOLATED, ...NOT] } },
      { extends: true, test: { name: 'browser', include: [BROWSER, ...NOT], isolate: false } },
      { extends: true, test: { name: 'smoke', include: [SMOKE, ...NOT] } },
    ],
  },
})
