import { randomUUID } from 'node:crypto'
import { isUuid } from '../catalog/arguments.ts'
import { operationFailed } from '../errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { generateKey, hashKey } from './api-key.ts'

interface NewKey {
  name: string
  accessTiers?: readonly string[]
  /** Slugs of the datasets to grant. */
  datasets?: readonly string[]
  expiresAt?: Date | null
  requestsPerMinute?: number | null
}

/** What may be shown of a key, at any time. */
export interface KeyRecord {
  id: string
  name: string
  accessTiers: string[]
  grants: { dataset: string; expiresAt: Date | null }[]
  requestsPerMinute: number | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

const SHOWN = {
  id: true,
  name: true,
  accessTiers: true,
  requestsPerMinute: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  grants: { select: { expiresAt: true, dataset: { select: { slug: true } } }, orderBy: { dataset: { slug: 'asc' } } },
} as const

/**
 * Issues a key. It can be seen here and never again.
 * @throws `OPERATION_FAILED` when a dataset is unknown; then there is no key either.
 */
export async function createKey(prisma: PrismaClient, wanted: NewKey): Promise<KeyRecord & { key: string }> {
  if (wanted.name.trim() === '') throw operationFailed('A key needs a name')
  const key = generateKey()
  const createdAt = new Date()
  const datasetIds = await Promise.all([...new Set(wanted.datasets)].map((slug) => datasetIdOf(prisma, slug)))
  const stored = await prisma.apiKey.create({
    data: {
      id: randomUUID(),
      name: wanted.name,
      hash: hashKey(key),
      accessTiers: [...new Set(wanted.accessTiers)],
      requestsPerMinute: wanted.requestsPerMinute ?? null,
      createdAt,
      expiresAt: wanted.expiresAt ?? null,
      grants: { create: datasetIds.map((datasetId) => ({ datasetId, createdAt })) },
    },
    select: SHOWN,
  })
  return { key, ...toRecord(stored) }
}

/** All keys, oldest first. */
export async function listKeys(prisma: PrismaClient): Promise<KeyRecord[]> {
  const stored = await prisma.apiKey.findMany({ select: SHOWN, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })
  return stored.map(toRecord)
}

/**
 * Revokes a key, for good; revoking it again changes nothing.
 * @throws `OPERATION_FAILED` when there is no such key.
 */
export async function revokeKey(prisma: PrismaClient, id: string): Promise<KeyRecord> {
  await requireKey(prisma, id)
  await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } })
  return toRecord(await prisma.apiKey.findUniqueOrThrow({ where: { id }, select: SHOWN }))
}

/**
 * Grants a key a dataset, until it expires; a grant that is there gets the new expiry.
 * @throws `OPERATION_FAILED` when there is no such key or dataset.
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
 * Withdraws a grant.
 * @throws `OPERATION_FAILED` when there is no such key, dataset or grant.
 */
export async function withdrawGrant(prisma: PrismaClient, grant: { keyId: string; dataset: string }): Promise<void> {
  await requireKey(prisma, grant.keyId)
  const datasetId = await datasetIdOf(prisma, grant.dataset)
  const { count } = await prisma.grant.deleteMany({ where: { apiKeyId: grant.keyId, datasetId } })
  if (count === 0) throw operationFailed(`The key ${grant.keyId} has no grant for the dataset ${grant.dataset}`)
}

async function requireKey(prisma: PrismaClient, id: string): Promise<void> {
  const found = isUuid(id) ? await prisma.apiKey.count({ where: { id } }) : 0
  if (found === 0) throw operationFailed(`There is no key with the id ${id}; catalog keys list shows them`)
}

async function datasetIdOf(prisma: PrismaClient, slug: string): Promise<string> {
  const dataset = await prisma.dataset.findUnique({ where: { slug }, select: { id: true } })
  if (!dataset) throw operationFailed(`There is no dataset with the slug ${slug}`)
  return dataset.id
}

type StoredKey = Omit<KeyRecord, 'grants'> & { grants: { expiresAt: Date | null; dataset: { slug: string } }[] }

function toRecord({ grants, ...key }: StoredKey): KeyRecord {
  return { ...key, grants: grants.map(({ expiresAt, dataset }) => ({ dataset: dataset.slug, expiresAt })) }
}
