import { stat } from 'node:fs/promises'
import { operationFailed } from '../../errors/errors.ts'
import type { SourceFile } from './dialect.ts'

/**
 * Checks that a file can be read twice, as an import does. Reading a pipe again waits for ever. Whether the file is there is not checked.
 * @throws `OPERATION_FAILED` for a folder, a pipe, a socket or a device
 */
export async function requireRegularFile({ name, path }: Pick<SourceFile, 'name' | 'path'>): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found || found.isFile()) return
  if (found.isDirectory()) throw operationFailed(`${name}: is a folder; name a file in it`)
  const kind = found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device'
  throw operationFailed(
    `${name}: is ${kind}, and an import reads its files twice; save the data as a file, and name that file`,
  )
}
