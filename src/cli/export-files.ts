import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  datasetChanged,
  type ExportFormat,
  type ExportWindow,
  FIRST_WINDOW,
  writeExport,
} from '../catalog/export-formats.ts'
import type { Dataset } from '../catalog/models.ts'
import { fetchExportBatch } from '../catalog/sql/export.ts'
import { CatalogError, messageOf, operationFailed } from '../errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'

interface FileOptions {
  format: ExportFormat
  path: string
  /** Whether to replace an existing file. */
  force: boolean
}

/**
 * Writes a dataset to a file. The file has its name only when it is complete.
 * @throws `OPERATION_FAILED` when the file exists or can't be written; `SERVICE_UNAVAILABLE` when the dataset changes meanwhile
 */
export async function exportFile(prisma: PrismaClient, id: string, { format, path, force }: FileOptions) {
  if (!force) await refuseExisting(path)
  const { text } = await openExport(prisma, id, format)
  await writeComplete(path, text)
}

/**
 * Writes a dataset to stdout, until the reader stops.
 * @throws `SERVICE_UNAVAILABLE` when the dataset changes meanwhile
 */
export async function exportToStdout(prisma: PrismaClient, id: string, format: ExportFormat): Promise<void> {
  const { text } = await openExport(prisma, id, format)
  await pipeline(Readable.from(text), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // src/cli.ts reports errors of stdout, except that a reader stops early (`| head`).
    if (error.syscall !== 'write') throw error
  })
}

/**
 * Writes a dataset to a folder that `catalog import` reads: a manifest, and the items with their ids and timestamps.
 * @throws as `exportFile`
 */
export async function exportBundle(
  prisma: PrismaClient,
  id: string,
  { folder, force }: { folder: string; force: boolean },
): Promise<void> {
  const manifest = join(folder, 'manifest.json')
  if (!force) await refuseExisting(manifest)
  await mkdir(folder, { recursive: true }).catch(cannotWrite(folder))
  const { dataset, text } = await openExport(prisma, id, 'ndjson')
  // A folder without a manifest is no bundle. So an export that fails leaves none.
  await rm(manifest, { force: true })
  await writeComplete(join(folder, ITEMS), text)
  await writeComplete(manifest, [`${JSON.stringify(manifestOf(dataset), null, 2)}\n`])
}

const ITEMS = 'items.ndjson'

/** All columns of the dataset but `revision`, which each database counts by itself. */
function manifestOf({ revision, ...dataset }: Dataset) {
  return { dataset, items: ITEMS }
}

/** A dataset, and the text of its export in the same state. */
async function openExport(prisma: PrismaClient, id: string, format: ExportFormat) {
  const read = (window: ExportWindow) => fetchExportBatch(prisma, id, format, window)
  const dataset = await prisma.dataset.findUnique({ where: { id } })
  const first = await read(FIRST_WINDOW)
  if (!dataset || dataset.revision !== first.revision) throw datasetChanged()
  return { dataset, text: writeExport(format, first, read) }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists) throw operationFailed(`${path} exists; replace it with --force`)
}

/** Writes a file under another name, and renames it when it is complete. */
async function writeComplete(path: string, text: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const partial = `${path}.partial`
  try {
    await writeFile(partial, text)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error instanceof CatalogError ? error : cannotWrite(path)(error)
  }
}

function cannotWrite(path: string): (error: unknown) => never {
  return (error) => {
    throw operationFailed(`${path} can't be written: ${messageOf(error)}`, error)
  }
}
