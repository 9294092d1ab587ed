// Writes src/generated/cluster-HASH.br: a new embedded database with PostGIS and all migrations. A first start unpacks it, which takes a
// second instead of ten. The clock and the random numbers are constant, so that the same migrations give the same bytes.
import nodeCrypto, { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const GENERATED = fileURLToPath(new URL('../src/generated/', import.meta.url))

/** @param quality of the compression, up to 11, which takes a minute */
export async function writeCluster(quality = 4) {
  stopTime()
  const { PGlite } = await import('@electric-sql/pglite')
  const { postgis } = await import('@electric-sql/pglite-postgis')
  const { clusterFile, migrate } = await import('../src/database/migrate.ts')
  const folder = mkdtempSync(join(tmpdir(), 'catalog-cluster-'))
  try {
    const bundlePath = new URL('../src/generated/postgis.tar.gz', import.meta.url)
    const setup = async (...args) => ({ ...(await postgis.setup(...args)), bundlePath })
    const pglite = await PGlite.create({ dataDir: folder, extensions: { postgis: { name: 'postgis', setup } } })
    const query = async (sql, values) => {
      const { rows, affectedRows } = values ? await pglite.query(sql, values) : (await pglite.exec(sql)).at(-1)
      return { rows, rowCount: affectedRows || rows.length }
    }
    // A file of the log that is used again would keep the old text.
    await query('SET wal_recycle = off')
    await migrate({ query })
    await query('VACUUM FREEZE')
    // The log of all that happened until here is not needed.
    await query('SELECT pg_switch_wal()')
    await query('CHECKPOINT')
    const { first } = (await query('SELECT pg_walfile_name(redo_lsn) AS first FROM pg_control_checkpoint()')).rows[0]
    await pglite.close()
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 }
    for (const old of globSync('cluster-*.br', { cwd: GENERATED })) rmSync(join(GENERATED, old))
    writeFileSync(await clusterFile(), brotliCompressSync(pack(folder, first), { params }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The files, as src/embedded/packed-folder.ts unpacks them: a line of JSON with the path and size of each, then their bytes. */
function pack(folder, firstLog) {
  const isNeeded = (path) => !/^pg_wal\/[0-9A-F]{24}$/.test(path) || path.slice('pg_wal/'.length) >= firstLog
  const paths = globSync('**', { cwd: folder }).filter(
    (path) => !['.', 'postmaster.pid'].includes(path) && isNeeded(path),
  )
  const entries = paths
    .sort()
    .map((path) => (statSync(join(folder, path)).isDirectory() ? [path] : [path, readFileSync(join(folder, path))]))
  const header = JSON.stringify(entries.map(([path, bytes]) => [path, bytes?.length ?? null]))
  return Buffer.concat([Buffer.from(`${header}\n`), ...entries.flatMap(([, bytes]) => bytes ?? [])])
}

/** PostgreSQL names a database by the time and random numbers, and writes times into it. The rows of migrations have random ids. */
function stopTime() {
  let calls = 0
  const next = () => createHash('sha256').update(String(++calls)).digest()
  Date.now = () => Date.UTC(2026, 0, 1)
  performance.now = () => 0
  crypto.getRandomValues = (array) => {
    const bytes = next()
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).forEach((_, i, all) => {
      all[i] = bytes[i % bytes.length]
    })
    return array
  }
  nodeCrypto.randomUUID = () =>
    next()
      .toString('hex')
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
  syncBuiltinESMExports()
}
