import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'

test.each([
  ['1', 1],
  ['2', 1],
  ['3', 1],
])('with %s connections there is one worker by default, because each has at least two', (size, workers) => {
  const config = readConfig({ DATABASE_URL: 'postgresql://127.0.0.1/catalog', DATABASE_POOL_SIZE: size })
  expect(config.workers).toBe(workers)
})

test('by default each worker has at least two connections', () => {
  const { workers, database } = readConfig({ DATABASE_URL: 'postgresql://127.0.0.1/catalog' })
  expect(database.poolSize).toBeGreaterThanOrEqual(2 * workers)
})

test('the embedded database has one worker', () => {
  expect(readConfig({}).workers).toBe(1)
})

test('variables of psql without DATABASE_URL have a warning, because the embedded database is used', () => {
  const env = { PGHOST: '10.0.0.5', PGPORT: '', PGDATABASE: 'catalog' }
  const warning = 'Without DATABASE_URL the embedded database is used, whatever PGHOST, PGDATABASE may say'
  expect(readConfig(env).warning).toBe(warning)
  expect(readConfig({ ...env, DATABASE_URL: 'postgresql://127.0.0.1/catalog' }).warning).toBeUndefined()
})

test.each([
  ['https://*.example.com', 'https://*.example.com has a *; name each origin, such as https://maps.example'],
  ['https://app.example,null', 'null is sent by all pages without an origin, such as files; serve the page'],
  [
    'https://app.example/x',
    'https://app.example/x has more than a scheme, a host and a port; write https://app.example',
  ],
])('CORS_ORIGINS=%s is refused with what is wrong and what to write', (value, problem) => {
  expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(
    `CORS_ORIGINS must be a comma-separated list of origins, or *: ${problem}`,
  )
})

test('CORS_ORIGINS takes what --origin takes, or * for all', () => {
  const value = 'HTTPS://app.example/, tauri://localhost, *'
  expect(readConfig({ CORS_ORIGINS: value }).corsOrigins).toEqual(['https://app.example', 'tauri://localhost', '*'])
})
