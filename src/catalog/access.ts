import type { Dataset } from './models.ts'

/** Permission for one dataset. It never expires if `expiresAt` is null. */
export interface DatasetGrant {
  datasetId: string
  expiresAt: Date | null
}

/** The permissions of an API key. */
export interface Access {
  accessTiers: readonly string[]
  grants: readonly DatasetGrant[]
}

/** A valid API key. */
export interface ApiKey extends Access {
  id: string
  name: string
  /** Null means no limit. */
  requestsPerMinute: number | null
  /** Null means no limit. */
  itemsPerMinute: number | null
  /** Null means that the key does not expire. */
  expiresAt: Date | null
  /** The origins of the web pages that may use the key (auth/origins.ts). If empty, any client may. */
  origins: readonly string[]
}

/** The fields of a dataset that decide who may access it. */
export type DatasetAccessFields = Pick<Dataset, 'id' | 'status' | 'visibility' | 'accessTier'>

/** How a key may access a dataset: by a grant, because the dataset is public, or by one of the key's tiers. */
export type AccessClause = 'grant' | 'public' | 'tier'

/**
 * The clause by which a key may access a dataset at the time `now`; undefined if it may not.
 * This is the whole access rule (docs/access.md).
 */
export function accessClause(access: Access, dataset: DatasetAccessFields, now: Date): AccessClause | undefined {
  if (hasGrant(access, dataset, now)) return 'grant'
  return isPublished(dataset) ? openClause(access, dataset) : undefined
}

/** Whether a key may access a dataset at the time `now`. */
export function mayAccess(access: Access, dataset: DatasetAccessFields, now: Date): boolean {
  return accessClause(access, dataset, now) !== undefined
}

function hasGrant(access: Access, dataset: DatasetAccessFields, now: Date): boolean {
  return access.grants.some(
    ({ datasetId, expiresAt }) => datasetId === dataset.id && (expiresAt === null || expiresAt > now),
  )
}

function isPublished({ status }: DatasetAccessFields): boolean {
  return status === 'active' || status === 'archived'
}

function openClause(access: Access, { visibility, accessTier }: DatasetAccessFields): 'public' | 'tier' | undefined {
  if (visibility === 'public') return 'public'
  const hasTier = visibility === 'paid' && accessTier !== null && access.accessTiers.includes(accessTier)
  return hasTier ? 'tier' : undefined
}
