import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { z } from 'zod'

/** The path of each file or folder, and the size of a file. Their bytes follow in this order. */
const header = z.array(z.tuple([z.string(), z.number().nullable()]))

/** Makes a folder that does not exist, if the packed file exists. The folder has its name when it is complete. */
export async function unpackFolder(file: string, folder: string): Promise<void> {
  if (existsSync(folder) || !existsSync(file)) return
  const bytes = await promisify(brotliDecompress)(await readFile(file))
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { mode: 0o700 })
  let start = bytes.indexOf('\n') + 1
  for (const [path, size] of header.parse(JSON.parse(bytes.toString('utf8', 0, start)))) {
    if (size === null) await mkdir(join(partial, path), { mode: 0o700 })
    else await writeFile(join(partial, path), bytes.subarray(start, start + size), { mode: 0o600 })
    start += size ?? 0
  }
  await rename(partial, folder)
}
