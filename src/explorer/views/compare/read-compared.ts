import type { View } from '../../data/address.ts'
import { type Dataset, findDataset } from '../../data/datasets.ts'
import { runParts } from '../../shared/api.ts'
import type { Result } from './compare-view.tsx'
import { compareRequest, partOf } from './request.ts'

/** Reads the lists of the datasets of a comparison. What is wrong with one is said in its column, unless there is no other. */
export async function readCompared(
  view: View,
  compared: readonly string[],
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<Result[]> {
  const request = compareRequest(view, compared)
  const isThere = (dataset: string) => findDataset(datasets, { dataset }) !== undefined
  const { data, errors } = await runParts<NonNullable<typeof request.data>>(request.query, request.variables, signal)
  return compared.map((slug, n) => {
    const part = data?.[partOf(n)]
    const error = errors.get(partOf(n)) ?? [...errors.values()][0]
    if (!part) {
      if (isThere(slug) || !compared.some(isThere)) throw error
      return { error }
    }
    const { items = part.searchItems, nearbyItems } = part
    if (!nearbyItems) return { items: items?.nodes ?? [], total: items?.total ?? 0 }
    const nodes = nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance }))
    return { items: nodes, total: nearbyItems.total }
  })
}
