import { schema } from '../graphql/schema.ts'
import { ITEM, type RestRoute } from '../rest/routes.ts'

/** The suggestions, which have no REST route. Each is an item with the members of REST's item list. */
export const SUGGESTIONS: Pick<RestRoute, 'name' | 'summary' | 'description' | 'operation' | 'resource' | 'envelope'> =
  {
    name: 'suggestItems',
    summary: 'Suggestions',
    description: schema.getQueryType()?.getFields().suggestItems?.description ?? '',
    operation: `query ($text: String!, $datasetId: ID, $categoryCode: String, $limit: Int) {
    suggestItems(text: $text, datasetId: $datasetId, categoryCode: $categoryCode, limit: $limit) { ${ITEM} }
  }`,
    resource: ['suggestItems'],
    envelope: (items) => ({ data: items, meta: {} }),
  }
