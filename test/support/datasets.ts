import type { Dataset } from '../../src/catalog/models.ts'

/** A public dataset whose name says its revision, with other values of some fields. */
export function someDataset(id: string, revision: bigint, fields: Partial<Dataset> = {}): Dataset {
  return {
    id,
    slug: id,
    name: `revision ${revision}`,
    description: null,
    status: 'active',
    visibility: 'public',
    accessTier: null,
    attribution: 'A',
    ...{ license: null, publisher: null, contact: null, termsUrl: null },
    ...{ sourceUrl: null, sourceDate: null, updateFrequency: null },
    createdAt: new Date(0),
    updatedAt: new Date(0),
    revision,
    epoch: id,
    ...fields,
  }
}
