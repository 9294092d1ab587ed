import fc from 'fast-check'
import {
  buildSchema,
  execute,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  parse,
  printSchema,
  validate,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { useApp } from '../support/app.ts'
import { randomCases } from '../support/cases.ts'
import { IMAGE, ITEM } from '../support/catalog.ts'

/*
 * The gateway reads only what a document selects, and PostgreSQL writes some of the response. Here graphql-js executes the same
 * document on complete objects, which are read one by one. Both must give the same bytes.
 */

const t = useApp()

const model = buildSchema(printSchema(schema))

/** The arguments of fields that need some, or whose lists would be long. The same field always has the same ones. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'Query.dataset': '(id: "seoul")',
  'Query.item': `(id: "${ITEM.gate}")`,
  'Query.node': `(id: "${ITEM.palace}")`,
  'Query.nodes': `(ids: ["${ITEM.hall}", "${IMAGE.first}", "nowhere"])`,
  'Query.findItems': '(text: "twin")',
  'Query.suggestItems': '(text: "gyeonbok")',
  'Dataset.items': '(limit: 3)',
  'Item.children': '(limit: 2)',
  'Dataset.itemConnection': '(first: 2)',
}
const LEFT_OUT = new Set(['nearbyItems', 'searchItems'])

function fieldsOf(typeName: string) {
  const type = model.getType(typeName)
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${typeName} has no fields`)
  return Object.values(type.getFields()).filter(({ name }) => !LEFT_OUT.has(name))
}

const argumentsOf = (typeName: string, field: string) => ARGUMENTS[`${typeName}.${field}`] ?? ''

interface Selection {
  /** The field with its arguments, or the type of a fragment. */
  head: string
  kind: 'field' | 'inline' | 'named'
  directive: string
  selections: Selection[]
}

const directive = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)', '@skip(if: $no)'),
  },
)

/** Selections on a type. Composite fields nest at most `depth` levels. */
function selectionsOn(typeName: string, depth: number): fc.Arbitrary<Selection[]> {
  const fields = fieldsOf(typeName)
  const names = fields.filter(({ type }) => !isCompositeType(getNamedType(type))).map(({ name }) => name)
  const leaf = fc.tuple(fc.constantFrom('__typename', ...names), fc.constantFrom('', '', 'x_'), directive).map(
    ([name, alias, on]): Selection => ({
      head: alias + (alias && `${name}: `) + name,
      kind: 'field',
      directive: on,
      selections: [],
    }),
  )
  if (depth === 0) return fc.array(leaf, { minLength: 1, maxLength: 3 })
  const composite = fields.filter(({ type }) => isCompositeType(getNamedType(type)))
  const nested = composite.map(({ name, type }) =>
    fc.tuple(selectionsOn(getNamedType(type).name, depth - 1), directive).map(
      ([selections, on]): Selection => ({
        head: name + argumentsOf(typeName, name),
        kind: 'field',
        directive: on,
        selections,
      }),
    ),
  )
  const conditions =
    typeName === 'Node' ? ['Node', 'Dataset', 'Item', 'Image'] : isNode(typeName) ? [typeName, 'Node'] : [typeName]
  const fragments = conditions.map((condition) =>
    fc
      .tuple(selectionsOn(condition, depth - 1), directive, fc.constantFrom('inline', 'named'))
      .map(([selections, on, kind]): Selection => ({ head: condition, kind, directive: on, selections })),
  )
  return fc.array(fc.oneof(leaf, ...nested, ...fragments), { minLength: 1, maxLength: 4 })
}

const isNode = (typeName: string) => ['Dataset', 'Item', 'Image'].includes(typeName)

/** Writes selections as text. Named fragments are added to `definitions`, and spread twice. */
function write(selections: Selection[], definitions: string[]): string {
  const texts = selections.map(({ head, kind, directive, selections }) => {
    const set = selections.length === 0 ? '' : ` { ${write(selections, definitions)} }`
    if (kind === 'field') return `${head} ${directive}${set}`
    if (kind === 'inline') return `... on ${head} ${directive}${set}`
    const name = `F${definitions.length}`
    definitions.push(`fragment ${name} on ${head}${set}`)
    return `...${name} ${directive} ...${name}`
  })
  return texts.join(' ')
}

const documents = selectionsOn('Query', 5).map((selections) => {
  const definitions: string[] = []
  const set = write(selections, definitions)
  const both = 'both: __typename @include(if: $yes) @skip(if: $no)'
  return [`query ($yes: Boolean!, $no: Boolean!) { ${both} ${set} }`, ...definitions].join('\n')
})
const VARIABLES = { yes: true, no: false }

/** All fields of a type, the nodes among them by id only. */
function everything(typeName: string): string {
  const fields = fieldsOf(typeName).map(({ name, type }) => {
    const target = getNamedType(type)
    if (!isCompositeType(target)) return name
    return `${name}${argumentsOf(typeName, name)} { ${isNode(target.name) || target.name === 'Node' ? '__typename id' : everything(target.name)} }`
  })
  return fields.join(' ')
}

const loaded = new Map<string, ReturnType<typeof read>>()

/** A complete object, which is read by its id. */
function load(typeName: string, id: string): Promise<unknown> {
  const found =
    loaded.get(id) ?? read(`{ node(id: "${id}") { __typename ... on ${typeName} { ${everything(typeName)} } } }`)
  loaded.set(id, found)
  return found.then((data) => complete(data.node))
}

async function read(query: string) {
  const { body } = await t.graphql(query)
  expect(body.errors, query).toBeUndefined()
  return body.data
}

/** The members of an object as functions, so that graphql-js reads other objects only if they are selected. */
function complete(object: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(object).map(([name, value]) => [
    name,
    name === '__typename' || name === 'extraAttributes' ? value : () => completeValue(value),
  ])
  return Object.fromEntries(members)
}

function completeValue(value: unknown): unknown {
  if (Array.isArray(value)) return Promise.all(value.map(completeValue))
  if (!isObject(value)) return value
  const { __typename, id } = value
  return typeof __typename === 'string' && typeof id === 'string' ? load(__typename, id) : complete(value)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

test('a response has what the document selects, whatever its fragments, directives and aliases are', {
  timeout: 600_000,
}, async () => {
  const root = complete(await read(`{ ${everything('Query')} }`))
  await fc.assert(
    fc.asyncProperty(documents, async (query) => {
      const document = parse(query)
      fc.pre(validate(model, document).length === 0)
      const { body } = await t.graphql(query, VARIABLES)
      fc.pre(!/^(cost|depth|aliases|directives) must be at most|more than \d+ tokens/.test(body.errors?.[0]?.message))
      const expected = await execute({ schema: model, document, rootValue: root, variableValues: VARIABLES })
      expect(JSON.stringify(body)).toBe(JSON.stringify(expected))
      // The second response is cached.
      expect(await t.graphql(query, VARIABLES)).toMatchObject({ body })
    }),
    { numRuns: randomCases({ all: 300, few: 60 }) },
  )
})
