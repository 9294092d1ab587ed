import type { PrismaClient } from '../generated/prisma/client.ts'

/** Tiers, and the tiers that datasets have. */
interface TierCheck {
  /** Those of the given tiers that no dataset has, as after a slip of the pen. */
  unused: string[]
  /** All tiers that datasets have, in alphabetical order. */
  existing: string[]
}

/** Compares the tiers of a key with those of the datasets. */
export async function checkTiers(prisma: PrismaClient, tiers: readonly string[]): Promise<TierCheck> {
  const rows = await prisma.dataset.findMany({
    where: { accessTier: { not: null } },
    distinct: ['accessTier'],
    select: { accessTier: true },
    orderBy: { accessTier: 'asc' },
  })
  const existing = rows.flatMap(({ accessTier }) => accessTier ?? [])
  return { unused: tiers.filter((tier) => !existing.includes(tier)), existing }
}
