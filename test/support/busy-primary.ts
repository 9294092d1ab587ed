/*
 * Loaded into a gateway with NODE_OPTIONS=--import: on SIGUSR2, its event loop is busy for three seconds. Its threads go on.
 */

const BUSY_MS = 3_000

process.on('SIGUSR2', () => {
  const endsAt = performance.now() + BUSY_MS
  while (performance.now() < endsAt);
})
