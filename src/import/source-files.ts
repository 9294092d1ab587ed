import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SourceFile } from '../history/record.ts'
import { requireRegularFile } from './formats/regular-file.ts'

/** Returns the name, the size and the SHA-256 of files, in their order. */
export function describeFiles(paths: readonly string[]): Promise<SourceFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      await requireRegularFile({ name: path, path })
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      const { size } = await stat(path)
      return { name: basename(path), size, sha256: hash.digest('hex') }
    }),
  )
}
