import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { LEAN_POSTGIS } from '../../src/embedded/lean-postgis.ts'

/** The content of the files whose path has this pattern. */
function read(pattern: string): Buffer {
  const args = ['-xzOf', fileURLToPath(LEAN_POSTGIS), '--wildcards', pattern]
  return execFileSync('tar', args, { maxBuffer: 1e9 })
}

test('The lean PostGIS exports each function that its SQL names, and few others', async () => {
  const module = await WebAssembly.compile(Uint8Array.from(read('lib/postgresql/postgis-3.so')))
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name)
  const sql = read('share/postgresql/extension/postgis--*.sql').toString()
  const named = [...sql.matchAll(/'\$libdir\/postgis-3'\s*,\s*'(\w+)'/gi)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(300)
  const needed = named.flatMap((name) => [name, `pg_finfo_${name}`])
  expect(exported).toEqual(expect.arrayContaining(needed))
  expect(exported.length).toBeLessThan(12_000)
})
