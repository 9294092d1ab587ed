import { DEFAULTS, MAX_LIMIT } from '../../catalog/arguments.ts'
import { EXPORT_FORMATS } from '../../catalog/export-formats.ts'
import { CatalogError, ERROR_CODES, ERROR_MEANINGS } from '../../errors.ts'
import { parseQueryString } from '../../query-string.ts'
import { GEOJSON } from '../../rest/envelope.ts'
import { errorBody, PROBLEM_MEDIA_TYPE } from '../../rest/error-body.ts'
import { REQUEST_ID_EXAMPLE } from '../../rest/openapi/examples.ts'
import { HEADERS } from '../../rest/openapi/responses.ts'
import { REST_ROUTES } from '../../rest/routes.ts'
import { TILE_MEDIA_TYPE } from '../tiles.ts'

/*
 * The introduction of the API reference, in Markdown. Everything in it that can change comes from the code that it describes.
 */

const statuses: Readonly<Record<string, number>> = ERROR_CODES

/** @param contact is whom to ask for a key */
export function introduction(contact?: string): string {
  const whom =
    contact === undefined ? 'The operator makes one: `catalog keys create`.' : `Whom to ask for one: ${contact}`
  return [
    'Datasets of places: as lists and single records, by name or near a point, as whole files, as map tiles, and as OGC API Features. ' +
      'Each response contains only what the API key may access. `/graphql` gives the same data, in any combination; `/mcp` gives it to agents.',
    '## Authentication',
    `Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. ${whom} \`GET /key\` shows what a key may do.`,
    '## Errors',
    `A status and a code say what is wrong. Show \`message\` to people; \`requestId\` finds the request in the log. This is the response to \`?limit=${MAX_LIMIT + 1}\`:`,
    `\`\`\`json\n${JSON.stringify(exampleError(), null, 2)}\n\`\`\``,
    `With \`Accept: ${PROBLEM_MEDIA_TYPE}\` an error is problem details (RFC 9457).`,
    table(
      ['code', 'status', 'meaning'],
      Object.entries(ERROR_MEANINGS).map(([code, meaning]) => [`\`${code}\``, `${statuses[code]}`, meaning]),
    ),
    '## Pages',
    `Lists take \`page\` (from 1) and \`limit\` (${DEFAULTS.limit} by default, at most ${MAX_LIMIT}). \`meta.total\` counts all pages, and the header \`Link\` has the addresses of the others. For everything, take an export.`,
    '## Limits and headers',
    'A key may have a limit of requests and one of items a minute. After a 429 or 503 wait for `Retry-After`.',
    table(
      ['response header', 'meaning'],
      Object.entries(HEADERS).map(([name, { description }]) => [`\`${name}\``, String(description)]),
    ),
    '## Caching and polling',
    'Every success has an `ETag`, which changes with the data. To poll, send it in `If-None-Match`: a 304 without a body is as fast as the network. A change shows within one second.',
    '## Versions',
    'The paths below `/v1` keep their members, their order and their defaults. Other paths may get more members and parameters. With `Prefer: handling=strict` an unknown parameter is an error instead of nothing.',
    '## Formats',
    `JSON in UTF-8. Lists of places are also \`${GEOJSON}\`, by \`Accept\`. Exports: ${EXPORT_FORMATS.map(({ name }) => `\`.${name}\``).join(', ')}. Tiles: \`${TILE_MEDIA_TYPE}\`. All can be \`br\` or \`gzip\`.`,
  ].join('\n\n')
}

/** The body of the error that the parameters of a list give. */
function exampleError(): unknown {
  const list = REST_ROUTES.find(({ query }) => Object.hasOwn(query.shape, 'limit'))
  try {
    if (list) parseQueryString(list.query, `limit=${MAX_LIMIT + 1}`)
  } catch (error) {
    if (error instanceof CatalogError) return errorBody(error, REQUEST_ID_EXAMPLE).body
  }
  throw new TypeError('No list refuses a limit')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
