import type { PrismaClient } from '../generated/prisma/client.ts'

/** Tiers, and the tiers that datasets have. */
interface TierCheck {
  /** The given tiers that no dataset has, for example because of a typing error. */
  unused: string[]
  /** All tiers that datasets have, in alphabetical order. */
  existing: string[]
}

/** Compares the tiers of a key with the tiers of the datasets. */
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
