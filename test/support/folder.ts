import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A temporary folder for the tests of a file. Returns a function that gives the path of what has a name in it. */
export function useFolder(): (...names: string[]) => string {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-test-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return (...names) => join(folder, ...names)
}
