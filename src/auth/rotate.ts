import { operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { generateKey, hashBytes, hashKey } from './api-key.ts'
import { resolveUnrevokedKey } from './names.ts'

/** A command waits this long for its transaction. Prisma's defaults, 2 and 5 seconds, are too short for a busy server. */
const WAIT_MS = 60_000

/**
 * Gives a key a new secret. Its id, grants, tiers and limit stay. The current secret works for `graceMs` more milliseconds. Older
 * secrets keep their expiry. With `graceMs` 0, all old secrets stop at once.
 * @returns the new secret as `key`, and the time until which the one before works
 * @throws `OPERATION_FAILED` when the key does not exist, is revoked or has expired
 */
export async function rotateKey(prisma: PrismaClient, text: string, graceMs: number, now = new Date()) {
  const { id, name, expiresAt } = await resolveUnrevokedKey(prisma, text)
  if (expiresAt !== null && expiresAt <= now) {
    throw operationFailed(`The key ${id} expired at ${expiresAt.toISOString()}; a new secret would not work`)
  }
  const key = generateKey()
  const previousExpiresAt = new Date(now.getTime() + graceMs)
  await prisma.$transaction(
    async (transaction) => {
      // The lock makes two rotations of one key run one after the other, so that no secret is lost.
      await transaction.$queryRaw`SELECT FROM api_keys WHERE id = ${id}::uuid FOR UPDATE`
      const { hash } = await transaction.apiKey.findUniqueOrThrow({ where: { id }, select: { hash: true } })
      const ended = graceMs === 0 ? {} : { expiresAt: { lte: now } }
      await transaction.retiredSecret.deleteMany({ where: { apiKeyId: id, ...ended } })
      if (graceMs > 0)
        await transaction.retiredSecret.create({ data: { hash, apiKeyId: id, expiresAt: previousExpiresAt } })
      await transaction.apiKey.update({ where: { id }, data: { hash: hashBytes(hashKey(key)) } })
    },
    { maxWait: WAIT_MS, timeout: WAIT_MS },
  )
  return { id, name, key, previousExpiresAt }
}
