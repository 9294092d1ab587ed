import { operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { NO_SINGLE_DATASET } from './key-usage.ts'
import { resolveDataset, resolveKey } from './names.ts'

const DAY_MS = 86_400_000

/** Which usage a report has: of one key or all, of one dataset or all, on the last days with today. */
interface UsageSelection {
  key?: string | undefined
  dataset?: string | undefined
  days: number
}

/**
 * Returns the usage of keys on each day in UTC, oldest first, then by key and dataset. It is accurate to half a minute.
 * @throws `OPERATION_FAILED` when the key or the dataset does not exist
 */
export async function reportUsage(prisma: PrismaClient, { key, dataset, days }: UsageSelection, now: Date) {
  const apiKeyId = key === undefined ? undefined : (await resolveKey(prisma, key)).id
  const datasetId = dataset === undefined ? undefined : (await resolveDataset(prisma, dataset)).id
  const since = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS)
  const rows = await prisma.keyUsageDay.findMany({
    where: {
      day: { gte: since },
      requests: { gt: 0 },
      ...(apiKeyId !== undefined && { apiKeyId }),
      ...(datasetId !== undefined && { datasetId }),
    },
    include: { apiKey: { select: { name: true } } },
    orderBy: [{ day: 'asc' }, { apiKey: { name: 'asc' } }, { apiKeyId: 'asc' }, { datasetId: 'asc' }],
  })
  const datasets = await prisma.dataset.findMany({ select: { id: true, slug: true } })
  const slugs = new Map(datasets.map(({ id, slug }) => [id, slug]))
  return rows.map((row) => ({
    day: row.day.toISOString().slice(0, 10),
    keyId: row.apiKeyId,
    key: row.apiKey.name,
    /** Slug of the dataset, or its id if it was removed. Null for requests that read several datasets, or none. */
    dataset: row.datasetId === NO_SINGLE_DATASET ? null : (slugs.get(row.datasetId) ?? row.datasetId),
    requests: Number(row.requests),
    /** Items in the responses. */
    items: Number(row.items),
    /** Bytes of the responses' bodies, before compression. */
    bytes: Number(row.bytes),
  }))
}

/**
 * Parses a number of days.
 * @throws `OPERATION_FAILED` unless it is a whole number from 1 to 3660
 */
export function parseDays(text: string): number {
  const days = Number(text)
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= MAX_DAYS) return days
  throw operationFailed(`--days must be a whole number from 1 to ${MAX_DAYS}, not "${text}"`)
}

const MAX_DAYS = 3660
