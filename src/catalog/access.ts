import type { Dataset } from './models.ts'

/** Leave for one dataset, until it expires; null means that it does not. */
export interface DatasetGrant {
  datasetId: string
  expiresAt: Date | null
}

/** What an API key opens. */
export interface Access {
  accessTiers: readonly string[]
  grants: readonly DatasetGrant[]
}

/** The members of a dataset that its access depends on. */
export type AccessSubject = Pick<Dataset, 'id' | 'status' | 'visibility' | 'accessTier'>

/** The access rule, whole and only here (decisions.md section 2). */
export function mayAccess(access: Access, dataset: AccessSubject, now: Date): boolean {
  return hasGrant(access, dataset, now) || (isPublished(dataset) && isOpenTo(access, dataset))
}

function hasGrant(access: Access, dataset: AccessSubject, now: Date): boolean {
  return access.grants.some(
    ({ datasetId, expiresAt }) => datasetId === dataset.id && (expiresAt === null || expiresAt > now),
  )
}

function isPublished({ status }: AccessSubject): boolean {
  return status === 'active' || status === 'archived'
}

function isOpenTo(access: Access, { visibility, accessTier }: AccessSubject): boolean {
  if (visibility === 'public') return true
  return visibility === 'paid' && accessTier !== null && access.accessTiers.includes(accessTier)
}
