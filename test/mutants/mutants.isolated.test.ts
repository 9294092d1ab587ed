import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKOUT } from './copy.ts'
import { mutate } from './mutant.ts'
import { TABLES } from './mutants.ts'

/* The table of mutants fits the sources. `npm run mutants` runs them. */

test.each(TABLES.map((table) => [table.file, table] as const))('the mutants of %s fit the file', (file, table) => {
  const source = readFileSync(join(CHECKOUT, file), 'utf8')
  const mutated = table.mutants.map((mutant) => mutate(source, mutant))
  expect(new Set(mutated).size, 'two mutants are equal').toBe(mutated.length)
  if (file.endsWith('.ts')) for (const text of mutated) stripTypeScriptTypes(text)
  const tests = [table.tests, ...table.mutants.map((mutant) => mutant.tests ?? [])].flat()
  for (const path of tests) expect(existsSync(join(CHECKOUT, path)), path).toBe(true)
})
