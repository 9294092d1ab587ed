import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** A request flows down this list, and so do imports; errors, config and what is generated are for all. */
const LAYERS = [
  'cli',
  'server',
  'rest',
  'graphql',
  'sample',
  'auth',
  'import',
  'catalog',
  'database',
  'tracing',
  'config',
  'errors',
  'generated',
]

const layerOf = (file: string) => LAYERS.indexOf(/^src\/([\w-]+)/.exec(file)?.[1] ?? '')

test('imports point one way, from HTTP down to the database', () => {
  const upward: string[] = []
  for (const file of globSync('src/**/*.ts', { exclude: ['src/generated/**'] })) {
    expect(layerOf(file), `${file} is in no layer`).toBeGreaterThanOrEqual(0)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export).*? from '(\.[^']+)'/gms)) {
      const target = join(dirname(file), path)
      if (layerOf(target) < layerOf(file)) upward.push(`${file} imports ${target}`)
    }
  }
  expect(upward).toEqual([])
})

test('the environment is read in one place, and SQL is never made of strings that came in', () => {
  for (const file of globSync('src/**/*.ts', { exclude: ['src/generated/**'] })) {
    const source = readFileSync(file, 'utf8')
    expect(source, file).not.toMatch(/\$(query|execute)RawUnsafe/)
    if (source.includes('process.env')) expect(source, file).toMatch(/readConfig\(process\.env\)/)
  }
})
