import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKey } from '../auth/keys.ts'
import type { Database } from '../database/database.ts'
import { importManifest } from '../import/import.ts'
import { SAMPLES } from './find.ts'

/** The tier of the paid dataset. The sample key can't access the restricted dataset and the draft, to show the errors. */
const SAMPLE_TIER = 'gold'

/** The gateway serves the sample's pictures under this path. */
const PICTURE_PATH = '/sample/'

/**
 * Imports the sample datasets into a new database, and creates a key for them.
 * @param address of the gateway, for the URLs of the pictures
 * @param print is called with a message before the datasets are loaded
 * @returns the key, or undefined if the database already has keys or other datasets
 */
export async function loadSampleData(
  database: Database,
  address = 'http://127.0.0.1:4000',
  print: (line: string) => void = () => {},
): Promise<string | undefined> {
  if (!(await isUnused(database))) return undefined
  print('Loading the sample datasets ...')
  const folder = await mkdtemp(join(tmpdir(), 'catalog-sample-'))
  try {
    for (const slug of SAMPLES) {
      const manifest = await copySample(slug, folder, address)
      await importManifest(database, manifest, { keepMissing: false, skipInvalid: false })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  const { key } = await createKey(database.prisma, { name: 'sample', accessTiers: [SAMPLE_TIER] })
  return key
}

/** Copies a sample, and completes the URLs of its pictures. Returns the path of the copy's manifest. */
async function copySample(slug: string, folder: string, address: string): Promise<string> {
  for (const file of [`${slug}.ndjson`, `${slug}.json`]) {
    const text = await readFile(new URL(file, import.meta.url), 'utf8')
    await writeFile(join(folder, file), text.replaceAll(`"${PICTURE_PATH}`, `"${address}${PICTURE_PATH}`))
  }
  return join(folder, `${slug}.json`)
}

/** Whether the database has no keys and no datasets other than samples. An interrupted start may have left some samples. */
async function isUnused({ prisma }: Database): Promise<boolean> {
  const keys = await prisma.apiKey.count()
  const others = await prisma.dataset.count({ where: { slug: { notIn: [...SAMPLES] } } })
  return keys === 0 && others === 0
}
