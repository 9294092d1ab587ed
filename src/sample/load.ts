import { fileURLToPath } from 'node:url'
import { createKey } from '../auth/keys.ts'
import type { Database } from '../database/database.ts'
import { importManifest } from '../import/import.ts'

/** The sample datasets, whose manifests are beside this file. Together they show every field, filter and error. */
const SAMPLES = ['seoul-landmarks', 'world-airports', 'seoul-markets', 'korea-heritage', 'seoul-parks-draft'] as const

/** The tier of the paid sample. The sample key has no access to the restricted one and the draft, to show the errors. */
const SAMPLE_TIER = 'gold'

/**
 * Imports the sample datasets into a new database, and creates a key for them.
 * @returns the key, or undefined if the database already has keys or other datasets
 */
export async function loadSampleData(database: Database): Promise<string | undefined> {
  if (!(await isUnused(database))) return undefined
  for (const slug of SAMPLES) {
    const manifest = fileURLToPath(new URL(`./${slug}.json`, import.meta.url))
    await importManifest(database, manifest, { keepMissing: false, skipInvalid: false })
  }
  const { key } = await createKey(database.prisma, { name: 'sample', accessTiers: [SAMPLE_TIER] })
  return key
}

/** Whether the database has no keys and no datasets other than samples. An interrupted start may have left some samples. */
async function isUnused({ prisma }: Database): Promise<boolean> {
  const keys = await prisma.apiKey.count()
  const others = await prisma.dataset.count({ where: { slug: { notIn: [...SAMPLES] } } })
  return keys === 0 && others === 0
}
