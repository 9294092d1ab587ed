import type { View } from '../../data/address.ts'
import { type Codes, LISTED, type ListedItem, labelOf, NO_CODES } from '../../data/datasets.ts'
import { toBoundingBox } from '../../map/box.ts'
import { runGraphQL } from '../../shared/api.ts'
import { useLater } from '../../shared/later.ts'

/*
 * What a person probably meant: places whose names or keywords are similar to the text.
 */

const MAX_SUGGESTIONS = 6

/**
 * Reads suggestions for a text, best first; in a comparison those of each dataset. There are none if they can't be read: the search itself
 * reports problems.
 */
export async function readSuggestions(view: View, signal: AbortSignal): Promise<ListedItem[]> {
  const { dataset, compared = [dataset] } = view
  const limit = Math.ceil(MAX_SUGGESTIONS / compared.length)
  const found = await Promise.all(compared.map((each) => suggestIn(each, limit, view, signal)))
  return found.flat()
}

async function suggestIn(
  dataset: string | undefined,
  limit: number,
  { category, text, within }: View,
  signal: AbortSignal,
): Promise<ListedItem[]> {
  if (text === undefined) return []
  const variables = {
    text,
    limit,
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

/** The labels of a place's codes. Many places have the same name: these tell them apart. */
export function CodeLabels({ item, codes }: { item: ListedItem; codes: Promise<Codes> }) {
  const known = useLater(codes, NO_CODES)
  if (!known) return null
  return <>{`${labelOf(item.categoryCode, known.categories)} · ${labelOf(item.administrativeAreaCode, known.areas)}`}</>
}
