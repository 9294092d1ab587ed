import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/*
 * The part of PGlite's PostGIS package that the embedded database uses. PGlite compiles and links every library of the package at
 * every start. Without raster and topology, a start takes a third less CPU time.
 */

export const LEAN_POSTGIS = new URL('../generated/postgis.tar.gz', import.meta.url)

const USED =
  /^(lib\/postgresql\/postgis-3\.so|share\/postgresql\/extension\/postgis(\.control|--[\d.]+\.sql)|share\/proj\/.+)$/

/** The size of a header and of the units of a tar archive, in bytes. https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const BLOCK = 512

/** Writes the file if it does not exist. The installed package makes it at its first start, because it is larger than all the rest. */
export async function writeLeanPostgis(): Promise<void> {
  if (existsSync(LEAN_POSTGIS)) return
  const complete = new URL('postgis.tar.gz', import.meta.resolve('@electric-sql/pglite-postgis'))
  const tar = await promisify(gunzip)(await readFile(complete))
  const used: Buffer[] = []
  for (let start = 0; tar[start]; ) {
    const size = Number.parseInt(readText(tar, start + 124, 12), 8)
    const end = start + BLOCK + Math.ceil(size / BLOCK) * BLOCK
    if (USED.test(readText(tar, start, 100))) used.push(tar.subarray(start, end))
    start = end
  }
  if (used.length < 3) throw new Error(`${complete} has another layout than expected`)
  // PGlite unpacks it at each start: without compression in no time.
  const archive = await promisify(gzip)(Buffer.concat([...used, Buffer.alloc(2 * BLOCK)]), { level: 0 })
  const partial = new URL(`postgis.${process.pid}.partial`, LEAN_POSTGIS)
  await writeFile(partial, archive)
  await rename(partial, LEAN_POSTGIS)
}

function readText(tar: Buffer, start: number, length: number): string {
  return tar.toString('latin1', start, start + length).replace(/\0.*/s, '')
}
