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

/** Returns the codes of a dataset by its UUID. */
export type CodesOf = (datasetId: string) => Codes

/** Reads the codes of the datasets of some items. */
export async function readCodesOf(items: readonly { datasetId: string }[], signal: AbortSignal): Promise<CodesOf> {
  const ids = [...new Set(items.map(({ datasetId }) => datasetId))]
  const codes = new Map(await Promise.all(ids.map(async (id) => [id, await readCodes(id, signal)] as const)))
  return (id) => codes.get(id) ?? NO_CODES
}

/** The label of a code, or the code. */
export function labelOf(code: string, facets: readonly Facet[]): string {
  return facets.find((facet) => facet.code === code)?.label ?? code
}
