import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSlug } from '../catalog/arguments.ts'
import type { Database } from '../database/database.ts'
import { operationFailed } from '../errors/errors.ts'
import { bundleOf, CATALOG_FILES, CATALOG_LINES, type CatalogFile, readCatalogFile } from '../export/whole-export.ts'
import { refuseExisting, removeComplete, writeComplete } from './complete-file.ts'
import { exportBundle } from './export-files.ts'

interface CatalogOptions {
  folder: string
  /** Whether to replace an existing catalog. */
  force: boolean
  withKeys: boolean
  /** Called after each dataset. */
  onDataset: (slug: string) => void
}

/** Only the owner may read the hashes of keys. */
const KEYS_MODE = 0o600
/** Nor the datasets that not everybody may see. A folder that exists keeps its mode. */
const FOLDER_MODE = 0o700

/**
 * Writes all datasets to a folder that `catalog import` reads, with the heads of the history and, if wanted, the keys. The folder is
 * complete when it has its file `catalog.json`.
 * @throws `OPERATION_FAILED` if the folder has a catalog, can't be written, or a dataset changes during the export
 */
export async function exportCatalog(database: Database, options: CatalogOptions): Promise<CatalogFile> {
  const { folder, force, withKeys, onDataset } = options
  const catalogPath = join(folder, CATALOG_FILES.catalog)
  if (!force) await refuseExisting(catalogPath)
  const { prisma } = database
  const read = () =>
    prisma.dataset.findMany({ select: { id: true, slug: true, revision: true }, orderBy: { slug: 'asc' } })
  const datasets = await read()
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  if (existsSync(catalogPath)) await removeFormerBundles(folder, new Set(datasets.map(({ slug }) => slug)))
  await removeComplete(catalogPath)
  for (const { id, slug } of datasets) {
    await exportBundle({ prisma, id }, { folder: bundleOf(folder, slug), force })
    onDataset(slug)
  }
  await writeLines(database, folder, 'history')
  await removeComplete(join(folder, CATALOG_FILES.keys))
  if (withKeys) await writeLines(database, folder, 'keys')
  const stateOf = (list: typeof datasets) => list.map(({ id, slug, revision }) => [id, slug, revision].join()).join()
  if (stateOf(await read()) !== stateOf(datasets)) {
    throw operationFailed('The catalog changed during the export, so the folder is not one state of it; try again')
  }
  const catalog = { version: 1, datasets: datasets.map(({ slug }) => slug), hasKeys: withKeys } as const
  await writeComplete(catalogPath, [`${JSON.stringify(catalog, null, 2)}\n`])
  return catalog
}

/** Removes the bundles of an earlier export whose datasets were removed or renamed. The folder has the data of this export only. */
async function removeFormerBundles(folder: string, slugs: ReadonlySet<string>): Promise<void> {
  const { datasets } = await readCatalogFile(folder)
  const former = datasets.filter((slug) => isSlug(slug) && !slugs.has(slug))
  for (const slug of former) await rm(bundleOf(folder, slug), { recursive: true, force: true })
}

async function writeLines({ withSession }: Database, folder: string, name: keyof typeof CATALOG_LINES): Promise<void> {
  const { rows } = await withSession((session) => session.query<{ line: string }>(CATALOG_LINES[name]))
  const lines = rows.map(({ line }) => `${line}\n`)
  await writeComplete(join(folder, CATALOG_FILES[name]), lines, name === 'keys' ? { mode: KEYS_MODE } : {})
}
