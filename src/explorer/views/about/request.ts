import { type ApiRequest, operation, restPath } from '../../data/api-request.ts'
import type { Facet } from '../../data/codes.ts'
import { DATASET_FIELDS, type Extent } from '../../data/datasets.ts'

/*
 * The request for the facts of a dataset.
 */

/** The size of a file in bytes. Large ones are estimated. */
export interface ExportSize {
  format: string
  bytes: number
  isExact: boolean
}

export interface About {
  license: string | null
  publisher: string | null
  contact: string | null
  termsUrl: string | null
  sourceUrl: string | null
  sourceDate: string | null
  updateFrequency: string | null
  createdAt: string
  updatedAt: string
  extent: Extent | null
  exportSizes: ExportSize[]
  categories: Facet[]
  administrativeAreas: Facet[]
}

const FACTS = `license publisher contact termsUrl sourceUrl sourceDate updateFrequency createdAt updatedAt
    extent { west south east north }
    exportSizes { format bytes isExact }
    categories { code label total }
    administrativeAreas { code label total }`

export function aboutRequest(dataset: string): ApiRequest<{ dataset: About }> {
  return {
    path: restPath(`/v1/datasets/${encodeURIComponent(dataset)}`),
    query: operation('About', { dataset }, `  dataset(id: $dataset) {\n    ${DATASET_FIELDS}\n    ${FACTS}\n  }`),
    variables: { dataset },
  }
}
