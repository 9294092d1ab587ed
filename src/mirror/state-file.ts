import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { z } from 'zod'
import { operationFailed } from '../errors/errors.ts'

/** Reads a file of JSON; undefined if there is none. @throws `OPERATION_FAILED` if it has something else */
export async function readState<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  if (!existsSync(path)) return undefined
  const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success) throw operationFailed(`${path} is not of this command; give another folder, or remove it`)
  return parsed.data
}

/** Under the same name each time: a process that is killed again and again leaves one file. */
export async function writeAtomically(path: string, content: string | AsyncIterable<string>): Promise<void> {
  await writeFile(`${path}.partial`, content)
  await rename(`${path}.partial`, path)
}
