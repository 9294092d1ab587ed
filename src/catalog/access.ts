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

/** The fields of a dataset that decide who may access it. */
export type DatasetAccessFields = Pick<Dataset, 'id' | 'status' | 'visibility' | 'accessTier'>

/** Whether a key may access a dataset at the time `now`. This is the whole access rule (decisions.md section 2). */
export function mayAccess(access: Access, dataset: DatasetAccessFields, now: Date): boolean {
  return hasGrant(access, dataset, now) || (isPublished(dataset) && isOpenTo(access, dataset))
}

function hasGrant(access: Access, dataset: DatasetAccessFields, now: Date): boolean {
  return access.grants.some(
    ({ datasetId, expiresAt }) => datasetId === dataset.id && (expiresAt === null || expiresAt > now),
  )
}

function isPublished({ status }: DatasetAccessFields): boolean {
  return status === 'active' || status === 'archived'
}

function isOpenTo(access: Access, { visibility, accessTier }: DatasetAccessFields): boolean {
  if (visibility === 'public') return true
  return visibility === 'paid' && accessTier !== null && access.accessTiers.includes(accessTier)
}
