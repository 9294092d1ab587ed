import { type Access, type AccessClause, accessClause, type DatasetAccessFields } from '../catalog/access.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { isValidKey } from './api-key.ts'

/** The fields of a key that decide what it may access. */
export interface ExplainedKey extends Access {
  id: string
  grants: readonly { datasetId: string; createdAt: Date; expiresAt: Date | null }[]
  expiresAt: Date | null
  revokedAt: Date | null
}

/** The fields of a dataset that decide who may access it, and its slug. */
export type ExplainedDataset = DatasetAccessFields & { slug: string }

/** Whether a key may access a dataset, and why. */
export interface Explanation {
  mayAccess: boolean
  clause: AccessClause | null
  reason: string
  /** Creation time of the grant; null for other clauses, because the catalog does not record when they began to hold. */
  since: Date | null
  /** The time at which the decision changes without an action of an operator; null if it does not change. */
  until: Date | null
  /** Commands that each change the decision by themselves. */
  changes: string[]
}

/** Explains the decision of the access rule for a key and a dataset at the time `now`. */
export function explainAccess(key: ExplainedKey, dataset: ExplainedDataset, now: Date): Explanation {
  const clause = clauseFor(key, dataset, now)
  const grant = key.grants.find(({ datasetId }) => datasetId === dataset.id)
  return {
    mayAccess: clause !== null,
    clause,
    reason: clause === null ? reasonAgainst(key, dataset, now) : reasonFor(clause, dataset),
    since: clause === 'grant' && grant ? grant.createdAt : null,
    until: findEnd(key, dataset, now),
    changes: (clause === null ? changesToAllow(key, dataset, now) : changesToDeny(key, dataset))
      .filter((change) => (clauseFor(change.key ?? key, change.dataset ?? dataset, now) === null) !== (clause === null))
      .map(({ command }) => command),
  }
}

function clauseFor(key: ExplainedKey, dataset: ExplainedDataset, now: Date): AccessClause | null {
  return isValidKey(key, now) ? (accessClause(key, dataset, now) ?? null) : null
}

/** The time at which access ends without an action of an operator: when the key or the grant expires. */
function findEnd(key: ExplainedKey, dataset: ExplainedDataset, now: Date): Date | null {
  if (clauseFor(key, dataset, now) === null) return null
  const expiries = [key, ...key.grants].flatMap(({ expiresAt }) => expiresAt ?? [])
  const ends = expiries.filter((time) => time > now && clauseFor(key, dataset, time) === null)
  return ends.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
}

function reasonFor(clause: AccessClause, { status, accessTier }: ExplainedDataset): string {
  if (clause === 'grant') return 'the key has a grant for the dataset'
  if (clause === 'public') return `the dataset is ${status} and public`
  return `the dataset is ${status} and paid, and the key has its tier ${accessTier}`
}

function reasonAgainst(key: ExplainedKey, dataset: ExplainedDataset, now: Date): string {
  if (key.revokedAt !== null) return `the key was revoked at ${key.revokedAt.toISOString()}`
  if (!isValidKey(key, now)) return `the key expired at ${key.expiresAt?.toISOString()}`
  const grant = key.grants.find(({ datasetId }) => datasetId === dataset.id)
  const without = grant?.expiresAt ? `the grant expired at ${grant.expiresAt.toISOString()}` : 'the key has no grant'
  const { accessTier } = dataset
  const alike = key.accessTiers.find((tier) => tier !== accessTier && tier.toLowerCase() === accessTier?.toLowerCase())
  const tiers = alike === undefined ? '' : `; its tier ${alike} differs in upper and lower case`
  return `the dataset is ${describeAccess(dataset)}, and ${without}${tiers}`
}

function describeAccess({ status, visibility, accessTier }: ExplainedDataset): string {
  if (visibility !== 'paid') return `${status} and ${visibility}`
  return `${status} and paid ${accessTier === null ? 'without a tier' : `with the tier ${accessTier}`}`
}

interface Change {
  command: string
  key?: ExplainedKey
  dataset?: ExplainedDataset
}

/** The changes that an operator can make. The access rule then tells which of them change the decision. */
function changesToAllow(key: ExplainedKey, dataset: ExplainedDataset, now: Date): Change[] {
  const { slug, accessTier } = dataset
  const update = `npx catalog datasets update ${slug}`
  const updateKey = `npx catalog keys update ${key.id}`
  const grants = [{ datasetId: dataset.id, createdAt: new Date(0), expiresAt: null }]
  // Only for a key that nothing else helps.
  const created = isValidKey(key, now) ? key : { ...key, expiresAt: null, revokedAt: null, grants }
  const accessTiers = [...key.accessTiers, ...(accessTier === null ? [] : [accessTier])]
  const tiers = accessTiers.map((tier) => ` --tier ${quoteForShell(tier)}`).join('')
  return [
    { command: `npx catalog keys grant ${key.id} --dataset ${slug}`, key: { ...key, grants } },
    { command: `${updateKey}${tiers}`, key: { ...key, accessTiers } },
    { command: `${updateKey} --expires 90d`, key: { ...key, expiresAt: null } },
    { command: `npx catalog keys create --name NAME --dataset ${slug}`, key: created },
    { command: `${update} --status active`, dataset: { ...dataset, status: 'active' } },
    { command: `${update} --visibility public`, dataset: { ...dataset, visibility: 'public' } },
  ]
}

function changesToDeny(key: ExplainedKey, dataset: ExplainedDataset): Change[] {
  const update = `npx catalog datasets update ${dataset.slug}`
  const grants = key.grants.filter(({ datasetId }) => datasetId !== dataset.id)
  return [
    { command: `npx catalog keys ungrant ${key.id} --dataset ${dataset.slug}`, key: { ...key, grants } },
    { command: `npx catalog keys revoke ${key.id}`, key: { ...key, revokedAt: new Date(0) } },
    { command: `${update} --status inactive`, dataset: { ...dataset, status: 'inactive' } },
    { command: `${update} --visibility restricted`, dataset: { ...dataset, visibility: 'restricted' } },
  ]
}
