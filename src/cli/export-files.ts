import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExportFormat, NDJSON } from '../catalog/export-formats.ts'
import { labelsByField } from '../catalog/labels.ts'
import type { Dataset } from '../catalog/models.ts'
import { type ExportWindow, FIRST_WINDOW, fetchExportBatch, linesFrom } from '../catalog/sql/export.ts'
import { refused } from '../errors/errors.ts'
import type { CodeLabel, PrismaClient } from '../generated/prisma/client.ts'
import { cannotWrite, refuseExisting, removeComplete, writeComplete } from './complete-file.ts'
import { writeData } from './print.ts'

/** The dataset to export. */
export interface ExportSource {
  prisma: PrismaClient
  /** UUID of the dataset. */
  id: string
  /** Called with the number of items of each batch that was read. */
  onItems?: ((count: number) => void) | undefined
}

interface FileOptions {
  format: ExportFormat
  /** Undefined for stdout. */
  path: string | undefined
  /** Whether to replace an existing file. */
  force: boolean
}

/**
 * Writes a dataset to a file, which has its name only when it is complete; or to stdout, until the reader stops.
 * @throws `OPERATION_FAILED` when the file exists or can't be written; `SERVICE_UNAVAILABLE` when the dataset changes during the export
 */
export async function exportFile(source: ExportSource, { format, path, force }: FileOptions): Promise<void> {
  if (path !== undefined && !force) await refuseExisting(path)
  const { lines } = await openExport(source, format)
  const parts = format.encode(lines, undefined)
  await (path === undefined ? writeData(parts) : writeComplete(path, parts))
}

/**
 * Writes a dataset to a folder that `catalog import` reads: a manifest, and the items with their ids and timestamps. An import
 * elsewhere makes an exact copy, or names the values that only psql can have written.
 * @throws as `exportFile`
 */
export async function exportBundle(
  source: ExportSource,
  { folder, force }: { folder: string; force: boolean },
): Promise<void> {
  const manifest = join(folder, 'manifest.json')
  const items = join(folder, ITEMS)
  if (!force) for (const path of [manifest, items]) await refuseExisting(path)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(folder, error)
  })
  const { dataset, labels, lines } = await openExport(source, NDJSON)
  // A folder without a manifest is no bundle. So an export that fails leaves none.
  await removeComplete(manifest)
  await writeComplete(items, NDJSON.encode(lines, undefined))
  await writeComplete(manifest, [manifestText(dataset, labels)])
}

const ITEMS = 'items.ndjson'

/** All columns of the dataset but `revision` and `epoch`, which each database has by itself. */
function manifestText({ revision, epoch, ...dataset }: Dataset, labels: readonly CodeLabel[]): string {
  const manifest = {
    dataset,
    items: [{ file: ITEMS, exact: true }],
    ...(labels.length > 0 && { labels: labelsByField(labels) }),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** A dataset, its labels, and the lines of its export in the same state. */
async function openExport({ prisma, id, onItems }: ExportSource, format: ExportFormat) {
  const read = async (window: ExportWindow) => {
    const batch = await fetchExportBatch(prisma, id, { format }, window)
    onItems?.(batch.count)
    return batch
  }
  const dataset = await prisma.dataset.findUnique({ where: { id } })
  const labels = await prisma.codeLabel.findMany({
    where: { datasetId: id },
    orderBy: [{ field: 'asc' }, { code: 'asc' }],
  })
  const first = await read(FIRST_WINDOW)
  if (!dataset || dataset.revision !== first.revision) throw refused('changed')
  return { dataset, labels, lines: linesFrom(first, read) }
}
