import { runGraphQL } from '../shared/api.ts'

/*
 * The codes of a dataset: its categories and administrative areas, with their labels and totals.
 */

/** A code, its label in the dataset, and the number of items that have it. */
export interface Facet {
  code: string
  label: string | null
  total: number
}

export interface Codes {
  categories: readonly Facet[]
  areas: readonly Facet[]
}

export const NO_CODES: Codes = { categories: [], areas: [] }

/** Reads the codes of a dataset. */
export async function readCodes(dataset: string, signal: AbortSignal): Promise<Codes> {
  const data = await runGraphQL<{ dataset: { categories: Facet[]; administrativeAreas: Facet[] } }>(
    `query Codes($dataset: ID!) {
  dataset(id: $dataset) {
    categories { code label total }
    administrativeAreas { code label total }
  }
}`,
    { dataset },
    signal,
  )
  return { categories: data.dataset.categories, areas: data.dataset.administrativeAreas }
}

/** The label of a code, or the code. */
export function labelOf(code: string, facets: readonly Facet[]): string {
  return facets.find((facet) => facet.code === code)?.label ?? code
}
