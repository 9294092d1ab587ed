import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { runProcess } from './process.ts'

/** Whether to run the tests with GDAL. In CI they always run, and fail without it. */
export const hasGdal = process.env.CI !== undefined || spawnSync('ogr2ogr', ['--version']).status === 0
if (!hasGdal) process.stderr.write('There is no ogr2ogr: the tests with GDAL are skipped\n')

/** Runs a program of GDAL with a key, expects that it prints no warning, and returns what it prints. */
export async function runGdal(key: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${key}` }
  const { code, stdout, stderr } = await runProcess(program, args, env)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** The number of features in a file. */
export async function countFeatures(file: string): Promise<number> {
  return Number(/Feature Count: (\d+)/.exec(await runGdal('', 'ogrinfo', '-so', '-al', file))?.[1])
}
