import { Prisma, type PrismaClient } from '../../src/generated/prisma/client.ts'

/**
 * Adds a public dataset of items with long descriptions.
 * @param description is SQL for the description of the item number `n`
 */
export async function addLarge(prisma: PrismaClient, slug: string, items: number, description: string): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
    VALUES (md5(${slug})::uuid, ${slug}, 'Large', 'active', 'public', 'Nobody', now(), now())`
  await prisma.$executeRaw`
    INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, latitude, longitude,
                       created_at, updated_at)
    SELECT md5(${slug} || n)::uuid, md5(${slug})::uuid, 'Place ' || n, ${Prisma.raw(description)}, 'a', 'c', 0, 0, now(), now()
      FROM generate_series(1, ${items}::integer) AS n`
}
