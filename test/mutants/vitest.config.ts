import { defineConfig, mergeConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

/** A mutant can make a test wait for ever. The limits are shorter than in the suite, so that it fails soon. */
export default mergeConfig(
  config,
  defineConfig({
    test: { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000, interval: 20 } } },
  }),
)
