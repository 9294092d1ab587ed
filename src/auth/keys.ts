import { randomUUID } from 'node:crypto'
import type { Access } from '../catalog/access.ts'
import { operationFailed } from '../errors/errors.ts'
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts'
import { generateKey, hashBytes, hashKey } from './api-key.ts'
import { resolveDataset, resolveKey, resolveUnrevokedKey } from './names.ts'

/** The properties of a key that `keys update` may change. */
export interface KeyChanges {
  name?: string
  /** All of its tiers. */
  accessTiers?: readonly string[]
  /** Null for a key that never expires. */
  expiresAt?: Date | null
  /** Null for no limit. */
  requestsPerMinute?: number | null
  /** Null for no limit. */
  itemsPerMinute?: number | null
  /** All of its origins (`parseOrigin`); none for a key that any client may use. */
  origins?: readonly string[]
}

interface NewKey extends KeyChanges {
  name: string
  /** Slugs of the datasets to grant. */
  datasets?: readonly string[]
}

/** The properties of a key that commands may show. The secret is not one of them. */
const KEY_COLUMNS = {
  id: true,
  name: true,
  accessTiers: true,
  requestsPerMinute: true,
  itemsPerMinute: true,
  origins: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  use: { select: { usedAt: true } },
  grants: { select: { expiresAt: true, dataset: { select: { slug: true } } }, orderBy: { dataset: { slug: 'asc' } } },
} as const

/**
 * Creates a key. Only this result contains the secret (`key`), because the database stores only its hash.
 * @throws `OPERATION_FAILED` if the name or a tier is not one line of text, or a dataset is unknown. Then no key is created.
 */
export async function createKey(prisma: PrismaClient, newKey: NewKey): Promise<KeyRecord & { key: string }> {
  const key = generateKey()
  const { datasets: slugs, ...properties } = newKey
  const columns = { ...parseChanges(properties), name: newKey.name }
  const createdAt = new Date()
  const datasets = await Promise.all([...new Set(slugs)].map((slug) => resolveDataset(prisma, slug)))
  const datasetIds = [...new Set(datasets.map(({ id }) => id))]
  const stored = await prisma.apiKey.create({
    data: {
      ...columns,
      id: randomUUID(),
      hash: hashBytes(hashKey(key)),
      createdAt,
      grants: { create: datasetIds.map((datasetId) => ({ datasetId, createdAt })) },
    },
    select: KEY_COLUMNS,
  })
  return { key, ...toRecord(stored) }
}

/** Returns the keys that are valid at `now`, with their access. */
export function findValidKeys(prisma: PrismaClient, now: Date): Promise<(Access & Record<'id' | 'name', string>)[]> {
  return prisma.apiKey.findMany({
    where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    select: { id: true, name: true, accessTiers: true, grants: { select: { datasetId: true, expiresAt: true } } },
  })
}

/** Returns all keys, oldest first. */
export async function listKeys(prisma: PrismaClient): Promise<KeyRecord[]> {
  const stored = await prisma.apiKey.findMany({ select: KEY_COLUMNS, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })
  return stored.map(toRecord)
}

/**
 * A key with the expiries of its old secrets that still work, the latest first.
 * @throws `OPERATION_FAILED` when the key does not exist
 */
export async function showKey(
  prisma: PrismaClient,
  text: string,
  now: Date,
): Promise<KeyRecord & { previousSecrets: { expiresAt: Date }[] }> {
  const { id } = await resolveKey(prisma, text)
  const { retiredSecrets, ...stored } = await prisma.apiKey.findUniqueOrThrow({
    where: { id },
    select: {
      ...KEY_COLUMNS,
      retiredSecrets: {
        where: { expiresAt: { gt: now } },
        select: { expiresAt: true },
        orderBy: { expiresAt: 'desc' },
      },
    },
  })
  return { ...toRecord(stored), previousSecrets: retiredSecrets }
}

/**
 * Changes properties of a key. Its secrets and grants stay. A key that has expired works again when it gets a later expiry.
 * @throws `OPERATION_FAILED` when the key does not exist or is revoked, or the name or a tier is not one line of text
 */
export async function updateKey(prisma: PrismaClient, text: string, changes: KeyChanges): Promise<KeyRecord> {
  const data = parseChanges(changes)
  const { id } = await resolveUnrevokedKey(prisma, text)
  return toRecord(await prisma.apiKey.update({ where: { id }, data, select: KEY_COLUMNS }))
}

/** @throws `OPERATION_FAILED` if the name or a tier is not one line of text */
function parseChanges({ accessTiers, origins, ...others }: KeyChanges) {
  const changes = { ...others, ...(origins && { origins: [...new Set(origins)] }) }
  if (changes.name !== undefined && !isLineOfText(changes.name)) {
    throw operationFailed("A key's name must be a line of text")
  }
  if (!accessTiers) return changes
  if (!accessTiers.every(isLineOfText)) throw operationFailed('An access tier must be a line of text')
  return { ...changes, accessTiers: [...new Set(accessTiers)] }
}

/**
 * Revokes a key with all of its secrets. This can't be undone.
 * @throws `OPERATION_FAILED` when the key does not exist or is already revoked
 */
export async function revokeKey(prisma: PrismaClient, text: string): Promise<KeyRecord> {
  const { id } = await resolveUnrevokedKey(prisma, text)
  return toRecord(await prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() }, select: KEY_COLUMNS }))
}

/** Control characters would break tables and logs that show the text. */
function isLineOfText(text: string): boolean {
  return text.trim() !== '' && !/\p{Cc}/u.test(text)
}

function toRecord({ grants, use, ...key }: Prisma.ApiKeyGetPayload<{ select: typeof KEY_COLUMNS }>) {
  return {
    ...key,
    /** Accurate to half a minute. Null if the key was never used. */
    lastUsedAt: use?.usedAt ?? null,
    grants: grants.map(({ expiresAt, dataset }) => ({ dataset: dataset.slug, expiresAt })),
  }
}

export type KeyRecord = ReturnType<typeof toRecord>
