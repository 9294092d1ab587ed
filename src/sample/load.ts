import { fileURLToPath } from 'node:url'
import { createKey } from '../auth/keys.ts'
import type { Database } from '../database/database.ts'
import { importManifest } from '../import/import.ts'

/** The datasets that show every field, filter and error on a first run: one folder entry each, beside this file. */
const SAMPLES = ['seoul-landmarks', 'world-airports', 'seoul-markets', 'korea-heritage', 'seoul-parks-draft'] as const

/** Opens the paid sample; the restricted one and the draft stay shut, to show what that looks like. */
const SAMPLE_TIER = 'gold'

/**
 * Loads the sample datasets into a database that holds nothing else, and issues a key for them.
 * @returns the key, or undefined when the database was in use before.
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

/** A start that was cut short may have left some of the samples. */
async function isUnused({ prisma }: Database): Promise<boolean> {
  const keys = await prisma.apiKey.count()
  const others = await prisma.dataset.count({ where: { slug: { notIn: [...SAMPLES] } } })
  return keys === 0 && others === 0
}
