import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Node runs the tests as it runs the gateway; Vite's own module runner would load a second copy of graphql.
    experimental: { viteModuleRunner: false },
    // Each file may open an embedded database, of about 1 GB.
    maxWorkers: 2,
    // A busy machine may be ten times as slow. A test that hangs is what these are for.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
})
