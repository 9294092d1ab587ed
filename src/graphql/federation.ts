import { extendSchema, type GraphQLSchema, isUnionType, lexicographicSortSchema, parse, printSchema } from 'graphql'
import { z } from 'zod'
import { parseArguments } from '../catalog/arguments.ts'
import type { CatalogNode } from '../catalog/catalog.ts'
import type { GraphQLContext } from './builder.ts'
import { schema } from './schema.ts'

/*
 * The schema as a subgraph of Apollo Federation 2. docs/decisions/0014-federation.md says why no library makes it. Specification:
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */

/** The types that other subgraphs may refer to and extend, by their UUID. */
const ENTITIES = ['Dataset', 'Item', 'Image'] as const

const SUBGRAPH_FIELDS = `
  "A reference to an object: its __typename and id."
  scalar _Any
  "An object that other subgraphs may refer to."
  union _Entity = ${ENTITIES.join(' | ')}
  "This subgraph."
  type _Service {
    "The schema, with the directives of Apollo Federation."
    sdl: String!
  }
  extend type Query {
    "The objects of these references, in the same order. Null for each one that does not exist or that the API key may not access."
    _entities("The references." representations: [_Any!]!): [_Entity]!
    "This subgraph."
    _service: _Service!
  }
`

const entitiesArguments = z.object({
  representations: z.array(
    z.object(
      { __typename: z.enum(ENTITIES, `must be one of ${ENTITIES.join(', ')}`), id: z.string('must be text') },
      'must be an object',
    ),
  ),
})

/** The schema with the fields that a gateway of Apollo Federation needs. */
export function createSubgraphSchema(): GraphQLSchema {
  const sdl = subgraphSdl()
  const subgraph = extendSchema(schema, parse(SUBGRAPH_FIELDS))
  const entity = subgraph.getType('_Entity')
  const { _entities, _service } = subgraph.getQueryType()?.getFields() ?? {}
  if (!isUnionType(entity) || !_entities || !_service) throw new TypeError('The subgraph is incomplete')
  entity.resolveType = (node: CatalogNode) => node.type
  _entities.resolve = (_query, args, { catalog }: GraphQLContext) => findEntities(args, catalog)
  _service.resolve = () => ({ sdl })
  return subgraph
}

async function findEntities(args: unknown, catalog: GraphQLContext['catalog']): Promise<(CatalogNode | null)[]> {
  const { representations } = parseArguments(entitiesArguments, args)
  const nodes = await catalog.nodes(representations.map(({ id }) => id))
  return nodes.map((node, n) => (node?.type === representations[n]?.__typename ? node : null))
}

/** The directives of each type. Other subgraphs may have a type `PageInfo` with the same fields. */
const DIRECTIVES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ENTITIES.map((name) => [name, '@key(fields: "id")'])),
  PageInfo: '@shareable',
}

function subgraphSdl(): string {
  const imports = '["@key", "@shareable"]'
  const header = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ${imports})`
  const types = printSchema(lexicographicSortSchema(schema)).replace(
    /^type (\w+)[^{]*/gm,
    (head, name: string) => `${head}${DIRECTIVES[name] ? `${DIRECTIVES[name]} ` : ''}`,
  )
  return `${header}\n\n${types}\n`
}
