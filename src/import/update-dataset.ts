import type { z } from 'zod'
import { operationFailed } from '../errors.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { datasetFields } from './dataset-fields.ts'
import { describeIssues, ISSUE_OPTIONS } from './issues.ts'

const changes = datasetFields.omit({ id: true, createdAt: true, updatedAt: true }).partial()

/** New values of the fields of a dataset. A field that is undefined stays as it is. */
export type DatasetChanges = Partial<Record<keyof z.input<typeof changes>, string>>

/**
 * Changes fields of a dataset, and moves its `updatedAt`.
 * @param nameOf gives the name of a field in messages
 * @throws `OPERATION_FAILED` with a line for each bad value, or when another dataset has the slug
 */
export async function updateDataset(
  prisma: PrismaClient,
  id: string,
  given: DatasetChanges,
  nameOf: (field: string) => string,
): Promise<void> {
  const parsed = changes.safeParse(given, ISSUE_OPTIONS)
  if (!parsed.success) {
    const lines = describeIssues(parsed.error).map((line) => line.replace(/^\w+/, nameOf))
    throw operationFailed(lines.join('\n'), parsed.error)
  }
  // A field that was not given must not become null.
  const data = Object.fromEntries(Object.entries(parsed.data).filter(([field]) => Object.hasOwn(given, field)))
  try {
    await prisma.dataset.update({ where: { id }, data: { ...data, updatedAt: new Date() } })
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError)) throw error
    if (error.code === 'P2002')
      throw operationFailed(`${nameOf('slug')} ${given.slug} is taken by another dataset`, error)
    if (error.code === 'P2025') throw operationFailed('The dataset was removed meanwhile', error)
    throw error
  }
}
