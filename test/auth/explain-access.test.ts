import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isValidKey } from '../../src/auth/api-key.ts'
import { type ExplainedDataset, type ExplainedKey, explainAccess } from '../../src/auth/explain-access.ts'
import { mayAccess } from '../../src/catalog/access.ts'

const time = fc.integer({ min: 1, max: 9 }).map((hour) => new Date(hour * 3_600_000))
const expiry = fc.option(time)
const dataset: fc.Arbitrary<ExplainedDataset> = fc.record({
  id: fc.constantFrom('a', 'b'),
  slug: fc.constant('slug'),
  status: fc.constantFrom('draft', 'active', 'inactive', 'archived'),
  visibility: fc.constantFrom('public', 'restricted', 'paid'),
  accessTier: fc.constantFrom(null, 'gold', 'silver'),
})
const key: fc.Arbitrary<ExplainedKey> = fc.record({
  id: fc.constant('key'),
  accessTiers: fc.subarray(['gold', 'silver']),
  grants: fc
    .subarray(['a', 'b'])
    .chain((ids) =>
      fc.tuple(...ids.map((id) => fc.record({ datasetId: fc.constant(id), createdAt: time, expiresAt: expiry }))),
    ),
  expiresAt: expiry,
  revokedAt: fc.option(time, { freq: 4 }),
})

test('The explanation agrees with the access rule for every key and dataset', () => {
  fc.assert(
    fc.property(key, dataset, time, (someKey, someDataset, now) => {
      const { mayAccess: verdict, clause, since, until, changes } = explainAccess(someKey, someDataset, now)
      const isOpen = (at: Date) => isValidKey(someKey, at) && mayAccess(someKey, someDataset, at)
      expect(verdict).toBe(isOpen(now))
      expect(clause !== null).toBe(verdict)
      expect(since !== null).toBe(clause === 'grant')
      expect(changes.length).toBeGreaterThan(0)
      if (!verdict) expect(until).toBeNull()
      else if (until === null) expect(isOpen(new Date(8.64e15))).toBe(true)
      else {
        expect(until > now).toBe(true)
        expect([isOpen(new Date(until.getTime() - 1)), isOpen(until)]).toEqual([true, false])
      }
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['gold', '--tier gold'],
  ['gold plan', "--tier 'gold plan'"],
  ["it's $HOME", "--tier 'it'\\''s $HOME'"],
])('the command that gives a key the tier %s can be pasted into a shell', (accessTier, option) => {
  const paid: ExplainedDataset = { id: 'a', slug: 'slug', status: 'active', visibility: 'paid', accessTier }
  const plain: ExplainedKey = { id: 'key', accessTiers: [], grants: [], expiresAt: null, revokedAt: null }
  expect(explainAccess(plain, paid, new Date()).changes).toContain(`npx catalog keys update key ${option}`)
})

test.each<[string, Partial<ExplainedKey>, ExplainedDataset['visibility'], string, string[]]>([
  [
    'a tier in another case',
    { accessTiers: ['gold'] },
    'paid',
    'the dataset is active and paid with the tier Gold, and the key has no grant; its tier gold differs in upper and lower case',
    [
      'keys grant key --dataset slug',
      'keys update key --tier gold --tier Gold',
      'datasets update slug --visibility public',
    ],
  ],
  [
    'an expired key',
    { accessTiers: ['Gold'], expiresAt: new Date(0) },
    'paid',
    'the key expired at 1970-01-01T00:00:00.000Z',
    ['keys update key --expires 90d', 'keys create --name NAME --dataset slug'],
  ],
  [
    'a revoked key',
    { revokedAt: new Date(0) },
    'public',
    'the key was revoked at 1970-01-01T00:00:00.000Z',
    ['keys create --name NAME --dataset slug'],
  ],
])('%s is named, with the changes that allow the access', (_, given, visibility, reason, changes) => {
  const paid: ExplainedDataset = { id: 'a', slug: 'slug', status: 'active', visibility, accessTier: 'Gold' }
  const someKey: ExplainedKey = { id: 'key', accessTiers: [], grants: [], expiresAt: null, revokedAt: null, ...given }
  expect(explainAccess(someKey, paid, new Date())).toMatchObject({
    reason,
    changes: changes.map((change) => `npx catalog ${change}`),
  })
})
