import { schema } from '../graphql/schema.ts'
import { filterVariable, ITEM, type RestRoute } from '../rest/routes.ts'

/** The suggestions, which have no REST route. Each is an item with the members of REST's item list. */
export const SUGGESTIONS: Pick<RestRoute, 'name' | 'summary' | 'description' | 'operation' | 'resource' | 'envelope'> =
  {
    name: 'suggestItems',
    summary: 'Suggestions',
    description: schema.getQueryType()?.getFields().suggestItems?.description ?? '',
    operation: `query (
      $text: String!, $datasetId: ID, $within: BoundingBox, ${filterVariable('categoryCode')}, $limit: Int
    ) {
      suggestItems(text: $text, datasetId: $datasetId, within: $within, categoryCode: $categoryCode, limit: $limit) { ${ITEM} }
    }`,
    resource: ['suggestItems'],
    envelope: (items) => ({ data: items, meta: {} }),
  }
