import { describe, expect, test } from 'vitest'
import { type AccessClause, accessClause, type DatasetGrant, mayAccess } from '../../src/catalog/access.ts'

/* Every combination of the access rule, against the words of docs/access.md. */

const NOW = new Date('2026-11-20T12:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)
const grant = (datasetId: string, expiresAt: Date | null = null): DatasetGrant => ({ datasetId, expiresAt })

const STATUSES = ['draft', 'active', 'inactive', 'archived'] as const
const VISIBILITIES = ['public', 'restricted', 'paid'] as const
const TIERS = [null, 'gold', 'silver'] as const
const DATASETS = STATUSES.flatMap((status) =>
  VISIBILITIES.flatMap((visibility) => TIERS.map((accessTier) => ({ id: 'this', status, visibility, accessTier }))),
)
type Dataset = (typeof DATASETS)[number]

const isPublished = ({ status }: Dataset) => ['active', 'archived'].includes(status)
const isPaidInGold = ({ visibility, accessTier }: Dataset) => visibility === 'paid' && accessTier === 'gold'

const clauseFor = (grants: DatasetGrant[], accessTiers: string[], dataset: Dataset) =>
  accessClause({ grants, accessTiers }, dataset, NOW)

describe.each(DATASETS)('A dataset that is $status and $visibility, with the tier $accessTier,', (dataset) => {
  const open: AccessClause | undefined = isPublished(dataset) && dataset.visibility === 'public' ? 'public' : undefined

  test('is open to a key with a grant that has not expired', () => {
    for (const given of [grant('this'), grant('this', later(1))]) {
      expect(clauseFor([given], [], dataset)).toBe('grant')
      expect(clauseFor([grant('other'), given, grant('third')], ['gold'], dataset)).toBe('grant')
    }
  })

  test('is open without a grant only if it is published and public', () => {
    for (const grants of [[], [grant('other')], [grant('this', NOW)], [grant('this', later(-1))]]) {
      expect(clauseFor(grants, [], dataset)).toBe(open)
      expect(clauseFor(grants, ['bronze', 'Gold', ''], dataset)).toBe(open)
    }
  })

  test('is open by its tier only if it is published and paid', () => {
    const byTier = isPublished(dataset) && isPaidInGold(dataset) ? 'tier' : undefined
    expect(clauseFor([], ['bronze', 'gold'], dataset)).toBe(open ?? byTier)
  })

  test('is open by any clause', () => {
    for (const grants of [[], [grant('this')]]) {
      const access = { grants, accessTiers: ['gold'] }
      expect(mayAccess(access, dataset, NOW)).toBe(accessClause(access, dataset, NOW) !== undefined)
    }
  })
})
