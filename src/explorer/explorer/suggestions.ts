import { runGraphQL } from '../shared/api.ts'
import type { View } from './address.ts'
import { toBoundingBox } from './box.ts'
import { LISTED, type ListedItem } from './data.ts'

/*
 * What a person probably meant: places whose names or keywords are similar to the text.
 */

const MAX_SUGGESTIONS = 6

/** Reads suggestions for a text, best first. There are none if they can't be read: the search itself reports problems. */
export async function readSuggestions(
  { dataset, category, text, within }: View,
  signal: AbortSignal,
): Promise<ListedItem[]> {
  if (text === undefined) return []
  const variables = {
    text,
    limit: MAX_SUGGESTIONS,
    ...(dataset && { dataset }),
    ...(category && { category }),
    ...(within && { within: toBoundingBox(within) }),
  }
  try {
    const { suggestItems } = await runGraphQL<{ suggestItems: ListedItem[] }>(
      `query Suggestions($text: String!, $dataset: ID, $category: String, $within: BoundingBox, $limit: Int) {
  suggestItems(text: $text, datasetId: $dataset, categoryCode: $category, within: $within, limit: $limit) { ${LISTED} }
}`,
      variables,
      signal,
    )
    return suggestItems
  } catch {
    return []
  }
}
