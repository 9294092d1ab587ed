import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../database/database.ts'
import { bundleOf, type ImportedKeys, importHistory, importKeys, readCatalogFile } from '../../import/catalog-folder.ts'

/** Whether a path is a folder, and so a whole catalog. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * Imports the datasets of a folder of `catalog export --all`, each completely or not at all, then its keys.
 * @param importManifest is called with the path of each manifest
 * @returns the numbers of keys, or undefined if the folder has none
 */
export async function importFolder(
  { withSession }: Database,
  folder: string,
  importManifest: (manifest: string) => Promise<void>,
): Promise<ImportedKeys | undefined> {
  const { datasets, hasKeys } = await readCatalogFile(folder)
  await withSession((session) => importHistory(session, folder))
  for (const slug of datasets) await importManifest(join(bundleOf(folder, slug), 'manifest.json'))
  return hasKeys ? withSession((session) => importKeys(session, folder)) : undefined
}
