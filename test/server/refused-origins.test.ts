import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'

const lines: string[] = []
let t: TestApp
beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  t = await startApp({ corsOrigins: ['https://allowed.example.org'], log })
})
afterAll(() => t.close())

const get = (origin: string) => t.get('/v1/datasets', { authorization: `Bearer ${t.key}`, origin })
const named = (origin: string) => lines.filter((line) => line.includes(origin))

test('a refused page of another origin leaves one line in the log, which names CORS_ORIGINS', async () => {
  for (const origin of ['https://other.example.org', 'https://other.example.org', 'null']) await get(origin)
  expect(named('https://other.example.org')).toEqual([
    expect.stringContaining('add the origin to CORS_ORIGINS or to its key'),
  ])
  expect(named('origin null')).toHaveLength(1)
})

test('an allowed origin and the own one leave no line', async () => {
  const before = lines.length
  await get('https://allowed.example.org')
  await get(t.url)
  await t.get('/v1/datasets')
  expect(lines.length).toBe(before)
})

test('the lines are limited, whatever origins a client sends', async () => {
  for (let n = 0; n < 40; n += 1) await get(`https://${n}.example.org`)
  expect(lines.length).toBe(20)
})
