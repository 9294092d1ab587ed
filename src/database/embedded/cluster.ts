import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { z } from 'zod'
import { readMigrations } from '../migrate.ts'

const GENERATED = fileURLToPath(new URL('../../generated/', import.meta.url))

/** The path of each file or folder, and the size of a file. Their bytes follow in this order. */
const header = z.array(z.tuple([z.string(), z.number().nullable()]))

/** The file of a new database with these migrations, which `prisma/cluster.js` writes. Without it, a first start creates the database. */
export async function clusterFile(): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(name + checksum)
  return join(GENERATED, `cluster-${hash.digest('hex').slice(0, 16)}.br`)
}

/** Makes the folder of a database that does not exist, if there is a file for it. The folder has its name when it is complete. */
export async function unpackCluster(folder: string): Promise<void> {
  const file = await clusterFile()
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
