import { mayAccess } from '../catalog/access.ts'
import { operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { hashBytes, hashKey, isValidKey } from './api-key.ts'

const NO_PERMISSIONS = { accessTiers: [], grants: [] }

/**
 * Checks PUBLIC_KEY, which the explorer uses for visitors without a key.
 * @returns a warning if the key does not work, so that visitors need one
 * @throws `OPERATION_FAILED` if the key may access a dataset that not every key may access, or has origins
 */
export async function checkPublicKey(prisma: PrismaClient, secret: string): Promise<string | undefined> {
  const now = new Date()
  const hash = hashBytes(hashKey(secret))
  const key = await prisma.apiKey.findFirst({
    where: { OR: [{ hash }, { retiredSecrets: { some: { hash, expiresAt: { gt: now } } } }] },
    include: { grants: true },
  })
  if (!key || !isValidKey(key, now)) return 'PUBLIC_KEY is unknown, expired or revoked: visitors need a key'
  const datasets = await prisma.dataset.findMany({ orderBy: { slug: 'asc' } })
  const hidden = datasets.filter((dataset) => mayAccess(key, dataset, now) && !mayAccess(NO_PERMISSIONS, dataset, now))
  if (hidden.length > 0) {
    const slugs = hidden.map(({ slug }) => slug).join(', ')
    throw operationFailed(
      `PUBLIC_KEY may access datasets that are not public: ${slugs}; use a key without tiers and grants`,
    )
  }
  if (key.origins.length > 0)
    throw operationFailed("PUBLIC_KEY has origins, so the explorer can't use it; use a key without them")
  return undefined
}
