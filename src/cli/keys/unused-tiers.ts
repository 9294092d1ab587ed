import type { PrismaClient } from '../../generated/prisma/client.ts'
import { printNotice } from '../print.ts'

/** Warns on stderr of each tier that no dataset has, because it opens nothing. */
export async function warnOfUnusedTiers(prisma: PrismaClient, tiers: readonly string[]): Promise<void> {
  if (tiers.length === 0) return
  const { unused, existing } = await checkTiers(prisma, tiers)
  const others = existing.length === 0 ? 'no dataset has a tier' : `there are ${existing.join(', ')}`
  for (const tier of unused) printNotice(`warning: no dataset has the tier ${tier}; ${others}`)
}

/** Returns the tiers of a key that no dataset has, for example because of a typing error, and all tiers of datasets in alphabetical order. */
export async function checkTiers(prisma: PrismaClient, tiers: readonly string[]) {
  const rows = await prisma.dataset.findMany({
    where: { accessTier: { not: null } },
    distinct: ['accessTier'],
    select: { accessTier: true },
    orderBy: { accessTier: 'asc' },
  })
  const existing = rows.flatMap(({ accessTier }) => accessTier ?? [])
  return { unused: tiers.filter((tier) => !existing.includes(tier)), existing }
}
