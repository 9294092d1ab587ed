import { GraphQLBoolean, getOperationAST, parse } from 'graphql'
import { MAX_LIMIT } from '../../catalog/arguments.ts'
import type { RawJson } from '../../catalog/models.ts'
import type { ReadLog } from '../../catalog/snapshot/read-log.ts'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { operationFailed, validationFailed } from '../../errors/errors.ts'
import { catalogErrorOf } from '../../graphql/errors.ts'
import { prepareDocument, type TrustedDocuments } from '../../graphql/operation/documents.ts'
import { execute } from '../../graphql/operation/execute.ts'
import { type Parameter, parametersOf } from '../../graphql/operation/parameters.ts'
import { schema } from '../../graphql/schema.ts'
import { listEnvelope, membersOf, type Representation, representationsOf, toDataset } from '../rest/envelope.ts'
import { DATASET, filterVariable, ITEM, REST_ROUTES, type RestRoute } from '../rest/routes.ts'
import { argumentParser, describeArguments, type InputSchema } from './arguments.ts'

type Members = Readonly<Record<string, unknown>>

/** A tool of /mcp: an operation on the GraphQL schema. */
export interface Tool {
  definition: ToolDefinition
  /** @throws `VALIDATION_FAILED` for arguments of other names or types */
  toVariables: (given: Members) => Members
  /** @throws a `CatalogError` */
  respond: (readCatalog: ReadCatalog, variables: Members) => Promise<{ body: RawJson; readLog: ReadLog | undefined }>
}

/** A tool as `tools/list` describes it (https://modelcontextprotocol.io/specification/2026-07-28/server/tools). */
interface ToolDefinition {
  name: string
  title?: string
  description: string
  inputSchema: InputSchema
  outputSchema?: Record<string, unknown>
  annotations: typeof ANNOTATIONS
}

/** The tools only read, and only from this catalog. */
const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false }

/** The parts of a REST route that make a tool. */
type ToolRoute = Pick<
  RestRoute,
  'name' | 'summary' | 'description' | 'operation' | 'parameters' | 'resource' | 'envelope' | 'hasFeatures'
>

const LIST_DATASETS = `query ("A meta.endCursor." $after: String) {
  datasetConnection(first: ${MAX_LIMIT}, after: $after) { nodes { ${DATASET} } totalCount pageInfo { hasNextPage endCursor } }
}`

const toDatasetList = listEnvelope(toDataset)

/** The datasets in pages, because a catalog can have more than an agent can read. The list of REST has all of them. */
const DATASETS: ToolRoute = {
  name: 'listDatasets',
  summary: 'Datasets',
  description: 'The datasets that the API key may access, by name, then id.',
  operation: LIST_DATASETS,
  parameters: parametersOf(parse(LIST_DATASETS)),
  resource: ['datasetConnection'],
  envelope: (connection) => {
    const { nodes, totalCount, pageInfo } = membersOf(connection)
    const { hasNextPage, endCursor } = membersOf(pageInfo)
    return toDatasetList({ nodes, total: totalCount, ...(hasNextPage === true && { endCursor }) })
  },
}

const SUGGEST = `query (
  $text: String!, $datasetId: ID, $within: BoundingBox, ${filterVariable('categoryCode')}, $limit: Int
) {
  suggestItems(text: $text, datasetId: $datasetId, within: $within, categoryCode: $categoryCode, limit: $limit) { ${ITEM} }
}`

/** The suggestions, which have no REST route. Each is an item with the members of REST's item list. */
const SUGGESTIONS: ToolRoute = {
  name: 'suggestItems',
  summary: 'Suggestions',
  description: schema.getQueryType()?.getFields().suggestItems?.description ?? '',
  operation: SUGGEST,
  parameters: parametersOf(parse(SUGGEST)),
  resource: ['suggestItems'],
  envelope: (items) => ({ data: items, meta: {} }),
}

/**
 * The tools by name: the datasets, one for each other REST route with data, the suggestions, and one for each trusted document whose
 * operation has a name and a description. A later document replaces an earlier one with the same name.
 * @throws `OPERATION_FAILED` if a document has the name of another tool
 */
export function createTools(trusted?: TrustedDocuments): ReadonlyMap<string, Tool> {
  // The key is for people and programs that watch their limits. Each tool takes room in an agent's context.
  const routes = REST_ROUTES.filter(({ name, tag }) => tag !== 'Key' && name !== DATASETS.name)
  const tools = new Map([DATASETS, ...routes, SUGGESTIONS].map(routeTool).map((tool) => [tool.definition.name, tool]))
  const names = new Set(tools.keys())
  for (const query of trusted?.values() ?? []) {
    const tool = documentTool(query)
    if (!tool) continue
    const { name } = tool.definition
    if (names.has(name)) throw operationFailed(`TRUSTED_DOCUMENTS has a document ${name}, and /mcp has a tool ${name}`)
    tools.set(name, tool)
  }
  return tools
}

/** A tool with the same responses as a REST route. */
function routeTool(route: ToolRoute): Tool {
  const { name, summary, description, parameters } = route
  // Prepared with the first call, so that the start does not take longer.
  let forms: readonly [Representation, ...Representation[]] | undefined
  const isRecord = name.startsWith('get')
  const { definition, toVariables } = describe(
    { name, title: summary, description },
    route.hasFeatures ? [...parameters, GEOJSON_FORM] : parameters,
  )
  return {
    definition: { ...definition, outputSchema: outputSchemaOf(isRecord, route.hasFeatures === true) },
    toVariables,
    respond: (readCatalog, { geojson, ...variables }) => {
      forms ??= representationsOf(route)
      const [json, features = json] = forms
      return (geojson ? features : json).respond(readCatalog, variables)
    },
  }
}

/** An argument of a tool that is no variable of its operation. */
const flag = (name: string, description: string): Parameter => ({
  name,
  type: GraphQLBoolean,
  description,
  argumentDescription: undefined,
  defaultValue: false,
  isRequired: false,
  hasNull: false,
})

/** Chooses the form of a list of places. */
const GEOJSON_FORM = flag('geojson', 'As a FeatureCollection.')

/** What null means for the parent of an item in GraphQL. In the arguments of a tool, null is the same as nothing. */
const ROOT_ITEMS_ONLY = flag('rootItemsOnly', 'Only items without a parent.')

/** The JSON Schema of an envelope, or of a FeatureCollection. It names no members of records: that would make the list of tools long. */
function outputSchemaOf(isRecord: boolean, hasFeatures: boolean): Record<string, unknown> {
  const data = { type: isRecord ? 'object' : 'array' }
  const properties = { data, ...(hasFeatures && { features: data }), meta: { type: 'object' } }
  return { type: 'object', properties, required: hasFeatures ? ['meta'] : ['data', 'meta'] }
}

/** A tool with the same `data` as /graphql; undefined if the document has no single operation with a name and a description. */
function documentTool(query: string): Tool | undefined {
  const document = parse(query)
  const operation = getOperationAST(document)
  const name = operation?.name?.value
  const description = operation?.description?.value
  if (name === undefined || !description) return undefined
  const prepared = prepareDocument(query)
  return {
    ...describe({ name, description }, parametersOf(document)),
    respond: async (readCatalog, variables) => {
      const { errors, data, print, readLog } = await execute(prepared, { operationName: name, variables }, readCatalog)
      const [error] = errors ?? []
      if (error) throw catalogErrorOf(error)
      return { body: print({ data }), readLog }
    },
  }
}

function describe(
  about: Pick<ToolDefinition, 'name' | 'title' | 'description'>,
  parameters: readonly Parameter[],
): Omit<Tool, 'respond'> {
  const parent = parameters.find(({ hasNull }) => hasNull)?.name
  const given = parent === undefined ? parameters : [...parameters, ROOT_ITEMS_ONLY]
  const parse = argumentParser(given)
  return {
    definition: { ...about, inputSchema: describeArguments(given), annotations: ANNOTATIONS },
    toVariables: (members) => {
      const { rootItemsOnly, ...variables } = parse(members)
      if (rootItemsOnly !== true || parent === undefined) return variables
      if (parent in variables)
        throw validationFailed([{ field: ROOT_ITEMS_ONLY.name, message: `must be false with a ${parent}` }])
      return { ...variables, [parent]: null }
    },
  }
}
