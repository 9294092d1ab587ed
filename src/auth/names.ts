import { operationFailed } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'

/** A key as a command names it. */
interface NamedKey {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

/** A dataset with its slug. */
type Slugged = Record<'id' | 'slug', string>

/** A shorter prefix of an id could match a key that the operator does not mean. */
const SHORTEST_PREFIX = 4
/** An error lists at most this number of names. */
const LISTED = 20

/**
 * Finds a key by its id (in any letter case), by its name, or by a unique prefix of its id. If several keys have the name and
 * only one of them is not revoked, finds that one.
 * @throws `OPERATION_FAILED` if no key or several keys match
 */
export async function resolveKey(prisma: PrismaClient, text: string): Promise<NamedKey> {
  const select = { id: true, name: true, createdAt: true, expiresAt: true, revokedAt: true }
  const keys = await prisma.apiKey.findMany({ select })
  const named = keys.filter(({ name }) => name === text)
  const valid = named.filter(({ revokedAt }) => revokedAt === null)
  const found = pick(text, keys, named.length > 1 && valid.length === 1 ? valid : named)
  const [key] = found
  if (!key) {
    const nearest = nameLike(
      text,
      keys.map(({ name }) => name),
    )
    const list = 'list the keys with: npx catalog keys list'
    throw operationFailed(`There is no key with the id ${text}, or with that name; ${nearest ?? list}`)
  }
  if (found.length > 1) {
    const ids = found.map(({ id, createdAt }) => `${id} (created ${createdAt.toISOString()})`)
    throw operationFailed(`${text} names ${found.length} keys; use an id: ${listOf(ids)}`)
  }
  return key
}

/**
 * Finds a key like `resolveKey`.
 * @throws `OPERATION_FAILED` if no key or several keys match, or the key is revoked
 */
export async function resolveUnrevokedKey(prisma: PrismaClient, text: string): Promise<NamedKey> {
  const key = await resolveKey(prisma, text)
  if (key.revokedAt !== null) throw operationFailed(`The key ${key.id} was revoked at ${key.revokedAt.toISOString()}`)
  return key
}

/**
 * Finds a dataset by its slug, by its id (in any letter case), by its name, or by a unique prefix of its id.
 * @throws `OPERATION_FAILED` when no dataset or several datasets match
 */
export async function resolveDataset(prisma: PrismaClient, text: string): Promise<{ id: string; slug: string }> {
  const datasets = await prisma.dataset.findMany({ select: { id: true, slug: true, name: true } })
  const bySlug = datasets.filter(({ slug }) => slug === text)
  const byName = datasets.filter(({ name }) => name === text)
  const found = bySlug.length > 0 ? bySlug : pick(text, datasets, byName)
  const slugs = (list: readonly { slug: string }[]) => listOf(list.map(({ slug }) => slug).sort())
  const [dataset] = found
  if (!dataset) {
    const others = datasets.length === 0 ? 'there are no datasets' : `there are ${slugs(datasets)}`
    const known =
      (await formerName(prisma, text, datasets)) ??
      nameLike(
        text,
        datasets.map(({ slug }) => slug),
      )
    throw operationFailed(`There is no dataset with the slug ${text}; ${known ?? others}`)
  }
  if (found.length > 1) throw operationFailed(`${text} names ${found.length} datasets; use a slug: ${slugs(found)}`)
  return dataset
}

/** What became of the dataset that had a slug; undefined if none had it. */
async function formerName({ historyEntry }: PrismaClient, slug: string, datasets: readonly Slugged[]) {
  const findLast = (where: { slug: string } | { datasetId: string }) =>
    historyEntry.findFirst({ where, orderBy: { id: 'desc' } })
  const named = await findLast({ slug })
  if (!named) return undefined
  const { datasetId } = named
  const renamed = datasets.find(({ id }) => id === datasetId)
  if (renamed) return `it was renamed: its slug is now ${renamed.slug}`
  const last = (await findLast({ datasetId })) ?? named
  const restore = last.canUndo ? `; bring it back with: npx catalog datasets restore ${slug}` : ''
  return `it was removed at ${last.at.toISOString()}${restore}`
}

/** Says which of the names is probably meant. A third of the letters may be wrong. */
function nameLike(text: string, names: readonly string[]): string | undefined {
  const nearest = nearestName(text, names, Math.floor(text.length / 3))
  return nearest === undefined ? undefined : `the nearest one is ${nearest}`
}

function pick<Entry extends { id: string }>(text: string, entries: readonly Entry[], named: readonly Entry[]) {
  const prefix = text.toLowerCase()
  const byId = entries.filter(({ id }) => id === prefix)
  if (byId.length > 0) return byId
  if (named.length > 0) return named
  return prefix.length < SHORTEST_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(prefix))
}

function listOf(names: readonly string[]): string {
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : ''
  return names.slice(0, LISTED).join(', ') + more
}
