import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { BreakingChangeType, buildSchema, DangerousChangeType, findSchemaChanges, printSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { schema } from '../../src/graphql/schema.ts'
import { breaksOf, interfaceLines } from './interface.ts'

/*
 * docs/stability.md: what a release has, the later ones of its major version have too. write-interface.ts writes what it is compared with;
 * until 1.0.0 is tagged, a change on purpose writes it again.
 */

const RELEASES = globSync('*/interface.json.br', { cwd: import.meta.dirname }).map((path) => dirname(path))
const interfaceFile = z.object({ lines: z.array(z.string()), schema: z.string() })

function readInterface(release: string) {
  const file = readFileSync(join(import.meta.dirname, release, 'interface.json.br'))
  return interfaceFile.parse(JSON.parse(brotliDecompressSync(file).toString()))
}

/** The changes of a GraphQL schema after which a query of before may fail or get something else. */
function schemaBreaks(before: string, now: string): string[] {
  const changes = findSchemaChanges(buildSchema(before), buildSchema(now))
  const isBreak = (type: string) => type in BreakingChangeType || type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE
  return changes.filter(({ type }) => isBreak(type)).map(({ description }) => description)
}

describe.each(RELEASES)('All that %s froze is as it was', (release) => {
  const frozen = readInterface(release)

  test('routes and their members, error codes, tools, settings, commands and tables', () => {
    expect(breaksOf(frozen.lines, interfaceLines())).toEqual([])
  })

  test('the GraphQL schema', () => {
    expect(schemaBreaks(frozen.schema, printSchema(schema))).toEqual([])
  })
})

describe('The comparison', () => {
  const lines = interfaceLines()
  const member = 'openapi.components.schemas.ItemDetail.properties.telephone.type = "string"'
  const others = lines.filter((line) => line !== member)
  const parameter = 'openapi.paths./v1/datasets.get.parameters[new].required = true'
  const sdl = printSchema(schema)

  test('finds a member that is gone, in another place, or of another type', () => {
    expect(breaksOf(lines, others)).toEqual([`is gone: ${member}`])
    expect(breaksOf(lines, [member, ...others])).toEqual([expect.stringMatching(/^is elsewhere: /)])
    expect(breaksOf(lines, [...others, member.replace('string', 'number')])).toEqual([`is gone: ${member}`])
  })

  test('finds a parameter that a route requires in addition', () => {
    expect(breaksOf(lines, [...lines, parameter])).toEqual([`is required now: ${parameter}`])
  })

  test('finds a field of GraphQL that is gone, and an argument with another default', () => {
    const changed = sdl.replace('telephone: String!', 'phone: String!').replace('limit: Int = 20', 'limit: Int = 21')
    const found = schemaBreaks(sdl, changed).sort()
    expect(found).toEqual([expect.stringContaining('limit'), expect.stringContaining('telephone')])
  })

  test('accepts additions: members, routes, parameters that may be missing, error codes, settings', () => {
    const optional = parameter.replace('true', 'false')
    const added = [optional, parameter.replace('/datasets', '/new'), `${member}.new`, 'error NEW 418', 'setting NEW=1']
    expect(breaksOf(lines, [...added, ...lines])).toEqual([])
    expect(schemaBreaks(sdl, sdl.replace('  telephone: String!', '  fax: String\n  telephone: String!'))).toEqual([])
  })
})
