import { operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { resolveDataset, resolveUnrevokedKey } from './names.ts'

/** A key and a dataset, as commands name them (names.ts). */
interface GrantNames {
  keyId: string
  dataset: string
}

/**
 * Grants a key access to a dataset. An existing grant gets the new expiry. Returns the id and the name of the key, and the slug of the dataset.
 * @throws `OPERATION_FAILED` when the key or the dataset does not exist, or the key is revoked
 */
export async function grantDataset(
  prisma: PrismaClient,
  { expiresAt, ...names }: GrantNames & { expiresAt: Date | null },
) {
  const { ids, subject } = await resolveGrant(prisma, names)
  await prisma.grant.upsert({
    where: { apiKeyId_datasetId: ids },
    create: { ...ids, createdAt: new Date(), expiresAt },
    update: { expiresAt },
  })
  return subject
}

/**
 * Removes a grant. Returns the id and the name of the key, and the slug of the dataset.
 * @throws `OPERATION_FAILED` when the key, the dataset or the grant does not exist, or the key is revoked
 */
export async function withdrawGrant(prisma: PrismaClient, names: GrantNames) {
  const { ids, subject } = await resolveGrant(prisma, names)
  const { count } = await prisma.grant.deleteMany({ where: ids })
  if (count === 0) throw operationFailed(`The key ${subject.id} has no grant for the dataset ${subject.dataset}`)
  return subject
}

async function resolveGrant(prisma: PrismaClient, { keyId, dataset: name }: GrantNames) {
  const key = await resolveUnrevokedKey(prisma, keyId)
  const dataset = await resolveDataset(prisma, name)
  return {
    ids: { apiKeyId: key.id, datasetId: dataset.id },
    subject: { id: key.id, name: key.name, dataset: dataset.slug },
  }
}
