import { v5 as uuidV5 } from 'uuid'
import type { PrismaClient } from '../generated/prisma/client.ts'

/** The sample datasets. Their manifests are in this folder. Together they show every field, filter and error. */
export const SAMPLES = [
  'seoul-landmarks',
  'world-airports',
  'seoul-markets',
  'korea-heritage',
  'seoul-parks-draft',
] as const

/** A sample dataset in the database. */
interface Sample {
  id: string
  slug: string
  /** Whether keys without a grant may see it, because it is active or archived. */
  isVisible: boolean
}

/** Finds the sample datasets, also renamed ones. An import derives their ids from their first slugs. */
export async function findSamples(prisma: PrismaClient): Promise<Sample[]> {
  const ids = SAMPLES.map((slug) => uuidV5(slug, uuidV5.URL))
  const found = await prisma.dataset.findMany({
    where: { id: { in: ids } },
    select: { id: true, slug: true, status: true, visibility: true },
    orderBy: { slug: 'asc' },
  })
  return found.map(({ id, slug, status, visibility }) => ({
    ...{ id, slug },
    isVisible: (status === 'active' || status === 'archived') && visibility !== 'restricted',
  }))
}
