import { ITEM_FILTERS } from '../catalog/filters.ts'
import { schema } from '../graphql/schema.ts'
import { listEnvelope } from '../rest/envelope.ts'
import { ITEM, type RestRoute } from '../rest/routes.ts'

/** The search, which has no REST route. Its response has the form of REST's item list. */
export const SEARCH: Pick<RestRoute, 'name' | 'summary' | 'description' | 'operation' | 'resource' | 'envelope'> = {
  name: 'searchItems',
  summary: 'Items by name or keyword, or in a box',
  description: schema.getQueryType()?.getFields().searchItems?.description ?? '',
  operation: `query (
    $text: String, $within: BoundingBox, $datasetId: ID,
    ${ITEM_FILTERS.map((filter) => `$${filter}: String`).join(', ')}, $page: Int, $limit: Int
  ) {
    searchItems(
      text: $text, within: $within, datasetId: $datasetId,
      ${ITEM_FILTERS.map((filter) => `${filter}: $${filter}`).join(', ')}, page: $page, limit: $limit
    ) {
      nodes { ${ITEM} }
      page limit total
    }
  }`,
  resource: ['searchItems'],
  envelope: listEnvelope(),
}
