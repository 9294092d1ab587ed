import { isSearch, type View } from '../../data/address.ts'
import { type ApiRequest, literal, operation } from '../../data/api-request.ts'
import { LISTED, type ListedItem } from '../../data/datasets.ts'
import { toBoundingBox } from '../../map/box.ts'
import { type Lists, PAGE_SIZE, placesRequest } from '../places/request.ts'

/*
 * The request for a comparison: the same list of several datasets in one document.
 */

/** Returns the name of a dataset's part of the answer. */
export const partOf = (index: number) => `dataset${index + 1}`

/** REST has one request for each dataset; this has that of the first. */
export function compareRequest(
  { compared: _, table: __, ...view }: View,
  compared: readonly string[],
): ApiRequest<Record<string, Lists<ListedItem> | null>> {
  const { near, text, within } = view
  const search = { ...(text && { text }), ...(within && { within: toBoundingBox(within) }), limit: PAGE_SIZE }
  const given = near ? { ...near, limit: PAGE_SIZE } : search
  const list = near ? 'nearbyItems' : isSearch(view) ? 'searchItems' : 'items'
  const nodes = near ? `{ distance item { ${LISTED} } }` : `{ ${LISTED} }`
  const values = Object.entries(given).map(([name, value]) => `${name}: ${literal(value)}`)
  const parts = compared.map(
    (slug, n) => `  ${partOf(n)}: dataset(id: ${literal(slug)}) {
    name
    attribution
    ${list}(${values.join(', ')}) {
      total
      nodes ${nodes}
    }
  }`,
  )
  const [first] = compared
  const { path } = placesRequest({ ...view, dataset: first })
  return { path, query: operation('Compare', {}, parts.join('\n')), variables: {} }
}
