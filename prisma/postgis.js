// Writes src/generated/postgis.tar.gz: the part of PGlite's PostGIS package that the embedded database uses. PGlite compiles and
// links every library of the package at every start. Without raster and topology, a start takes a third less CPU time.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'

const USED =
  /^(lib\/postgresql\/postgis-3\.so|share\/postgresql\/extension\/postgis(\.control|--[\d.]+\.sql)|share\/proj\/.+)$/

/** The size of a header and of the units of a tar archive, in bytes. https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const BLOCK = 512

export function writePostgis() {
  const bundle = fileURLToPath(
    new URL('../node_modules/@electric-sql/pglite-postgis/dist/postgis.tar.gz', import.meta.url),
  )
  const tar = gunzipSync(readFileSync(bundle))
  const used = []
  for (let start = 0; tar[start]; ) {
    const size = Number.parseInt(readText(tar, start + 124, 12), 8)
    const end = start + BLOCK + Math.ceil(size / BLOCK) * BLOCK
    if (USED.test(readText(tar, start, 100))) used.push(tar.subarray(start, end))
    start = end
  }
  if (used.length < 3) throw new Error(`${bundle} has another layout than expected`)
  const target = fileURLToPath(new URL('../src/generated/postgis.tar.gz', import.meta.url))
  writeFileSync(target, gzipSync(Buffer.concat([...used, Buffer.alloc(2 * BLOCK)])))
}

function readText(tar, start, length) {
  return tar.toString('latin1', start, start + length).replace(/\0.*/s, '')
}
