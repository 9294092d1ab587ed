import { schema } from '../graphql/schema.ts'
import { listEnvelope } from '../rest/envelope.ts'
import { ITEM, type RestRoute } from '../rest/routes.ts'

/** The search, which has no REST route. Its response has the form of REST's item list. */
export const SEARCH: Pick<RestRoute, 'name' | 'summary' | 'description' | 'operation' | 'resource' | 'envelope'> = {
  name: 'searchItems',
  summary: 'Items by name or in a box',
  description: schema.getQueryType()?.getFields().searchItems?.description ?? '',
  operation: `query (
    $text: String, $within: BoundingBox, $datasetId: ID, $administrativeAreaCode: String, $categoryCode: String,
    $page: Int, $limit: Int
  ) {
    searchItems(
      text: $text, within: $within, datasetId: $datasetId,
      administrativeAreaCode: $administrativeAreaCode, categoryCode: $categoryCode, page: $page, limit: $limit
    ) {
      nodes { ${ITEM} }
      page limit total
    }
  }`,
  resource: ['searchItems'],
  envelope: listEnvelope(),
}
