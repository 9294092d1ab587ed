import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { VERSION } from '../config/version.ts'
import type { SourceFile } from '../history/record.ts'
import { requireRegularFile } from '../rows/formats/read-text.ts'
import { type SqlSession, sql } from '../sql.ts'

/*
 * The last import of each dataset. The same files, read by the same version with the same options, give the same items. So an import of them
 * changes nothing if nothing has changed the dataset since: its revision moves with every change, and never returns.
 */

/** The files of an import, and the SHA-256 of all that decides about its result; undefined if it is not known. */
export interface Sources {
  files: readonly SourceFile[]
  digest: string | undefined
}

/**
 * Returns the files and their digest. There is none for a dry run, which stores nothing, and none if a file can't be read, which fails with a
 * better message when its rows are read.
 */
export async function readSources(
  paths: readonly string[],
  { keepMissing, dryRun }: { keepMissing: boolean; dryRun?: boolean },
): Promise<Sources> {
  const files = dryRun ? undefined : await describeFiles(paths).catch(() => undefined)
  const decisive = [VERSION, process.version, keepMissing, files]
  const digest = files && createHash('sha256').update(JSON.stringify(decisive)).digest('hex')
  return { files: files ?? [], digest }
}

/** Returns the number of items of a dataset that is as its last import has left it, if that import had the digest; otherwise undefined. */
export async function findSameImport(
  session: SqlSession,
  datasetId: string,
  digest: string | undefined,
): Promise<number | undefined> {
  const { rows } = await session.query<{ items: number }>(
    sql`SELECT coalesce((SELECT n FROM item_counts WHERE dataset_id = d.id AND list = 'all'), 0) AS items
       FROM datasets AS d JOIN last_imports AS l ON l.dataset_id = d.id AND l.revision = d.revision
      WHERE d.id = $1 AND l.digest = $2`,
    [datasetId, digest],
  )
  return rows[0]?.items
}

/** Stores the digest of an import, in its transaction and after all its changes. */
export async function storeLastImport(session: SqlSession, datasetId: string, digest: string): Promise<void> {
  await session.query(
    sql`INSERT INTO last_imports (dataset_id, revision, digest) SELECT id, revision, $2 FROM datasets WHERE id = $1
     ON CONFLICT (dataset_id) DO UPDATE SET revision = excluded.revision, digest = excluded.digest`,
    [datasetId, digest],
  )
}

/**
 * Returns the size of all files in bytes, and a text that changes when one of them does. A missing file counts as 0, because reading it later
 * fails with a better message.
 */
export async function statFiles(paths: readonly string[]): Promise<{ bytes: number; state: string }> {
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)))
  return {
    bytes: found.reduce((sum, file) => sum + Number(file?.size ?? 0), 0),
    state: found.map((file) => file && [file.size, file.mtimeNs, file.ino].join()).join(' '),
  }
}

/** Returns the name, the size and the SHA-256 of files, in their order. */
function describeFiles(paths: readonly string[]): Promise<SourceFile[]> {
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
