import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { ITEM_FILTERS } from '../catalog/filters.ts'
import { publicUrlOf } from './request-head.ts'

/*
 * The export of a list that a tool of /mcp has cut: an agent can download all of its items instead of asking for page after page.
 */

/** The links to the export of a list; none if the response has the whole list, or if no export has exactly its items. */
export function exportLinks(
  request: FastifyRequest,
  tool: string,
  variables: Readonly<Record<string, unknown>>,
  text: string,
): CallToolResult['content'] {
  const { datasetId, parentItemId } = variables
  const gateway = publicUrlOf(request)
  if (tool !== 'listItems' || typeof datasetId !== 'string' || parentItemId !== undefined || !gateway) return []
  const { meta }: { meta: { page: number; limit: number; total: number } } = JSON.parse(text)
  if (meta.total <= meta.limit) return []
  const uri = new URL(`${gateway}/exports/${encodeURIComponent(datasetId)}.geojson`)
  for (const filter of ITEM_FILTERS)
    if (typeof variables[filter] === 'string') uri.searchParams.set(filter, variables[filter])
  const description = `All ${meta.total} items in one file. It needs the same API key.`
  return [
    {
      type: 'resource_link',
      uri: uri.href,
      name: `${datasetId}.geojson`,
      mimeType: 'application/geo+json',
      description,
    },
  ]
}
