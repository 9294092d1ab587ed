import type { ExplainedKey } from '../../auth/explain-access.ts'
import { resolveKey } from '../../auth/names.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'

/** @throws `OPERATION_FAILED` when no key or several keys match */
export async function findExplainedKey(prisma: PrismaClient, text: string): Promise<ExplainedKey & { name: string }> {
  const { id } = await resolveKey(prisma, text)
  const grants = { select: { datasetId: true, createdAt: true, expiresAt: true } }
  const select = { id: true, name: true, accessTiers: true, expiresAt: true, revokedAt: true, grants } as const
  return prisma.apiKey.findUniqueOrThrow({ where: { id }, select })
}
