import { type ApiRequest, operation, restPath } from '../../data/api-request.ts'
import { DATASET_FIELDS, type Extent, type Facet } from '../../data/datasets.ts'

/** The size of a file in bytes. Large ones are estimated. */
export interface ExportSize {
  format: string
  bytes: number
  isExact: boolean
}

const TEXTS = ['license', 'publisher', 'contact', 'termsUrl', 'sourceUrl', 'sourceDate', 'updateFrequency'] as const

export interface About extends Record<(typeof TEXTS)[number], string | null> {
  createdAt: string
  updatedAt: string
  extent: Extent | null
  items: { total: number }
  exportSizes: ExportSize[]
  categories: Facet[]
  administrativeAreas: Facet[]
}

const FACTS = `${TEXTS.join(' ')} createdAt updatedAt
    extent { west south east north }
    items(limit: 1) { total }
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
