import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MESSAGES } from '../../src/explorer/shared/text.ts'

const { de, en, ko } = MESSAGES
const names = Object.keys(en).sort()
const sources = globSync('{src/explorer/**/*.{ts,tsx},src/api/pages/html/*.html}').map((file) =>
  readFileSync(file, 'utf8'),
)
const used = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/\bt\.(\w+)|data-t(?:-[a-z-]+)?="(\w+)"/g)].map(([, code, html]) => code ?? html ?? ''),
  ),
)

test.each(Object.entries({ de, ko }))(
  'the table of messages %s has each message, and none is empty',
  (_name, table) => {
    expect(Object.keys(table).sort()).toEqual(names)
    expect(Object.values(table).filter((message) => message === '')).toEqual([])
  },
)

/** What a message has to be filled with. */
const gaps = (message: unknown) => [...new Set(JSON.stringify(message).match(/\{\w+\}/g))].sort()

test.each(Object.entries({ de, ko }))('the messages %s are filled as the English ones', (_name, table) => {
  expect(Object.entries(table).map(([name, message]) => [name, gaps(message)])).toEqual(
    expect.arrayContaining(Object.entries(en).map(([name, message]) => [name, gaps(message)])),
  )
})

test('each message is used, and each message that is used is there', () => {
  expect([...used].sort()).toEqual(names)
})

test('the texts of the HTML are those of the English table', () => {
  const texts: Readonly<Record<string, unknown>> = en
  const html = globSync('src/api/pages/html/{header,explorer,map}.html').map((file) => readFileSync(file, 'utf8'))
  const shown = html.flatMap((page) => [...page.matchAll(/data-t="(\w+)"[^>]*>([^<]*)</g)])
  expect(shown.length).toBeGreaterThan(8)
  for (const [, name = '', text] of shown) expect(text).toBe(texts[name])
})
