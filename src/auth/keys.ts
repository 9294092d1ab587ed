import { randomUUID } from 'node:crypto'
import type { Access } from '../catalog/access.ts'
import { isUuid } from '../catalog/arguments.ts'
import { operationFailed } from '../errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { generateKey, hashBytes, hashKey } from './api-key.ts'

interface NewKey {
  name: string
  accessTiers?: readonly string[]
  /** Slugs of the datasets to grant. */
  datasets?: readonly string[]
  expiresAt?: Date | null
  requestsPerMinute?: number | null
}

/** The properties of a key that may be shown at any time; the key itself is not among them. */
export interface KeyRecord {
  id: string
  name: string
  accessTiers: string[]
  grants: { dataset: string; expiresAt: Date | null }[]
  requestsPerMinute: number | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** Accurate to about a minute; null if the key was never used. */
  lastUsedAt: Date | null
}

/** The columns of a `KeyRecord`. */
const KEY_COLUMNS = {
  id: true,
  name: true,
  accessTiers: true,
  requestsPerMinute: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  use: { select: { usedAt: true } },
  grants: { select: { expiresAt: true, dataset: { select: { slug: true } } }, orderBy: { dataset: { slug: 'asc' } } },
} as const

/**
 * Creates a key. Only this result contains the key itself; later only its hash is known.
 * @throws `OPERATION_FAILED` when the name or a tier is not one line of text, or a dataset is unknown; then no key is created
 */
export async function createKey(prisma: PrismaClient, newKey: NewKey): Promise<KeyRecord & { key: string }> {
  const accessTiers = [...new Set(newKey.accessTiers)]
  if (!isLineOfText(newKey.name)) throw operationFailed("A key's name must be a line of text")
  if (!accessTiers.every(isLineOfText)) throw operationFailed('An access tier must be a line of text')
  const key = generateKey()
  const createdAt = new Date()
  const datasetIds = await Promise.all([...new Set(newKey.datasets)].map((slug) => datasetIdOf(prisma, slug)))
  const stored = await prisma.apiKey.create({
    data: {
      id: randomUUID(),
      name: newKey.name,
      hash: hashBytes(hashKey(key)),
      accessTiers,
      requestsPerMinute: newKey.requestsPerMinute ?? null,
      createdAt,
      expiresAt: newKey.expiresAt ?? null,
      grants: { create: datasetIds.map((datasetId) => ({ datasetId, createdAt })) },
    },
    select: KEY_COLUMNS,
  })
  return { key, ...toRecord(stored) }
}

/** The access of each key that is valid at `now`. */
export function findValidKeys(prisma: PrismaClient, now: Date): Promise<Access[]> {
  return prisma.apiKey.findMany({
    where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    select: { accessTiers: true, grants: { select: { datasetId: true, expiresAt: true } } },
  })
}

/** All keys, oldest first. */
export async function listKeys(prisma: PrismaClient): Promise<KeyRecord[]> {
  const stored = await prisma.apiKey.findMany({ select: KEY_COLUMNS, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })
  return stored.map(toRecord)
}

/**
 * Revokes a key. This can't be undone.
 * @throws `OPERATION_FAILED` when the key does not exist or is already revoked
 */
export async function revokeKey(prisma: PrismaClient, id: string): Promise<KeyRecord> {
  await requireKey(prisma, id)
  return toRecord(await prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() }, select: KEY_COLUMNS }))
}

/**
 * Grants a key access to a dataset. An existing grant gets the new expiry.
 * @throws `OPERATION_FAILED` when the key or the dataset does not exist, or the key is revoked
 */
export async function grantDataset(
  prisma: PrismaClient,
  grant: { keyId: string; dataset: string; expiresAt: Date | null },
): Promise<void> {
  await requireKey(prisma, grant.keyId)
  const ids = { apiKeyId: grant.keyId, datasetId: await datasetIdOf(prisma, grant.dataset) }
  const { expiresAt } = grant
  await prisma.grant.upsert({
    where: { apiKeyId_datasetId: ids },
    create: { ...ids, createdAt: new Date(), expiresAt },
    update: { expiresAt },
  })
}

/**
 * Removes a grant.
 * @throws `OPERATION_FAILED` when the key, the dataset or the grant does not exist, or the key is revoked
 */
export async function withdrawGrant(prisma: PrismaClient, grant: { keyId: string; dataset: string }): Promise<void> {
  await requireKey(prisma, grant.keyId)
  const datasetId = await datasetIdOf(prisma, grant.dataset)
  const { count } = await prisma.grant.deleteMany({ where: { apiKeyId: grant.keyId, datasetId } })
  if (count === 0) throw operationFailed(`The key ${grant.keyId} has no grant for the dataset ${grant.dataset}`)
}

async function requireKey(prisma: PrismaClient, id: string): Promise<void> {
  const key = isUuid(id) ? await prisma.apiKey.findUnique({ where: { id }, select: { revokedAt: true } }) : null
  if (!key) throw operationFailed(`There is no key with the id ${id}; list the keys with: npx catalog keys list`)
  if (key.revokedAt !== null) throw operationFailed(`The key ${id} was revoked at ${key.revokedAt.toISOString()}`)
}

/** Control characters would break tables and logs that show the text. */
function isLineOfText(text: string): boolean {
  return text.trim() !== '' && !/\p{Cc}/u.test(text)
}

async function datasetIdOf(prisma: PrismaClient, slug: string): Promise<string> {
  const dataset = await prisma.dataset.findUnique({ where: { slug }, select: { id: true } })
  if (!dataset) throw operationFailed(`There is no dataset with the slug ${slug}`)
  return dataset.id
}

type StoredKey = Omit<KeyRecord, 'grants' | 'lastUsedAt'> & {
  grants: { expiresAt: Date | null; dataset: { slug: string } }[]
  use: { usedAt: Date } | null
}

function toRecord({ grants, use, ...key }: StoredKey): KeyRecord {
  return {
    ...key,
    lastUsedAt: use?.usedAt ?? null,
    grants: grants.map(({ expiresAt, dataset }) => ({ dataset: dataset.slug, expiresAt })),
  }
}
