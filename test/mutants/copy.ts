import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const GENERATED = 'src/generated'
/** The migrated embedded databases (test/support/template.ts). A mutant of a migration adds one. */
const TEMPLATES = '.cache/dataset-catalog'

/** Copies the checkout with its uncommitted changes into a new temporary folder, which `removeCopy` removes. */
export function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'catalog-mutants-'))
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' }).split('\0')
  for (const path of [...files, GENERATED]) {
    const from = join(CHECKOUT, path)
    if (path !== '' && existsSync(from)) cpSync(from, join(copy, path), { recursive: true })
  }
  linkModules(copy)
  return copy
}

export function removeCopy(copy: string): void {
  rmSync(copy, { recursive: true, force: true })
}

/** Links each package, and not the whole folder, because the tests write into node_modules/.cache. */
function linkModules(copy: string): void {
  const from = join(CHECKOUT, 'node_modules')
  const to = join(copy, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== '.cache') symlinkSync(join(from, name), join(to, name))
  }
  if (existsSync(join(from, TEMPLATES))) cpSync(join(from, TEMPLATES), join(to, TEMPLATES), { recursive: true })
}
