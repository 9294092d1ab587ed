import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoteForShell } from '../src/errors/quote-for-shell.ts'

test.each([
  'data/places.json',
  '',
  '~',
  '~root',
  "Ann's",
  'a "b" $HOME `id` \\',
  '*?[a]{b,c}',
  '!1 #2 & ; | < > ( )',
  "tab\t, line\n, escape \u001b and Ann's \\",
  '서울',
])('bash reads %j as it was', (word) => {
  expect(execFileSync('bash', ['-c', `printf %s ${quoteForShell(word)}`], { encoding: 'utf8' })).toBe(word)
})

test('a plain word has no quotes', () => {
  expect(['--tier', 'data/places.json', 'a=b'].map(quoteForShell)).toEqual(['--tier', 'data/places.json', 'a=b'])
})
