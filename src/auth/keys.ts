import { randomUUID } from 'node:crypto'
import type { Access } from '../catalog/access.ts'
import { operationFailed } from '../errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { generateKey, hashBytes, hashKey } from './api-key.ts'
import { resolveDataset, resolveKey, resolveUnrevokedKey } from './names.ts'

interface NewKey {
  name: string
  accessTiers?: readonly string[]
  /** Slugs of the datasets to grant. */
  datasets?: readonly string[]
  expiresAt?: Date | null
  requestsPerMinute?: number | null
}

/** The properties of a key that commands may show. The secret is not one of them. */
export interface KeyRecord {
  id: string
  name: string
  accessTiers: string[]
  grants: { dataset: string; expiresAt: Date | null }[]
  requestsPerMinute: number | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** Accurate to half a minute. Null if the key was never used. */
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
 * Creates a key. Only this result contains the secret (`key`), because the database stores only its hash.
 * @throws `OPERATION_FAILED` if the name or a tier is not one line of text, or a dataset is unknown. Then no key is created.
 */
export async function createKey(prisma: PrismaClient, newKey: NewKey): Promise<KeyRecord & { key: string }> {
  const accessTiers = [...new Set(newKey.accessTiers)]
  if (!isLineOfText(newKey.name)) throw operationFailed("A key's name must be a line of text")
  if (!accessTiers.every(isLineOfText)) throw operationFailed('An access tier must be a line of text')
  const key = generateKey()
  const createdAt = new Date()
  const datasets = await Promise.all([...new Set(newKey.datasets)].map((slug) => resolveDataset(prisma, slug)))
  const datasetIds = [...new Set(datasets.map(({ id }) => id))]
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

/** Returns the access of each key that is valid at `now`. */
export function findValidKeys(prisma: PrismaClient, now: Date): Promise<Access[]> {
  return prisma.apiKey.findMany({
    where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    select: { accessTiers: true, grants: { select: { datasetId: true, expiresAt: true } } },
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

/** Number of requests with a key on a day in UTC, written as `2026-11-21`. */
export interface DailyUsage {
  day: string
  requests: number
}

/**
 * The days on which a key was used, the oldest first. The numbers are accurate to half a minute.
 * @throws `OPERATION_FAILED` when the key does not exist
 */
export async function listUsage(prisma: PrismaClient, text: string): Promise<DailyUsage[]> {
  const { id } = await resolveKey(prisma, text)
  const days = await prisma.keyUsageDay.findMany({ where: { apiKeyId: id }, orderBy: { day: 'asc' } })
  return days.map(({ day, requests }) => ({ day: day.toISOString().slice(0, 10), requests: Number(requests) }))
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
