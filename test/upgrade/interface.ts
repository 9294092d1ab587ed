import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createTools } from '../../src/api/mcp/tools.ts'
import { documentOfAllPaths } from '../../src/api/openapi/documents.ts'
import { accessCommand } from '../../src/cli/access.ts'
import { backupCommand, restoreCommand } from '../../src/cli/backup.ts'
import { datasetsCommand } from '../../src/cli/datasets/datasets.ts'
import { doctorCommand } from '../../src/cli/doctor.ts'
import { exportCommand } from '../../src/cli/export.ts'
import { historyCommand } from '../../src/cli/history/history.ts'
import { undoCommand } from '../../src/cli/history/undo.ts'
import { importCommand } from '../../src/cli/import/import.ts'
import { keysCommand } from '../../src/cli/keys/keys.ts'
import { migrateCommand } from '../../src/cli/migrate.ts'
import { serveCommand } from '../../src/cli/serve.ts'
import { ERRORS } from '../../src/errors/errors.ts'
import { CHECKOUT } from '../support/process.ts'

/*
 * What docs/stability.md freezes, but for the GraphQL schema: one line for each promise, in the order of the members.
 */

const COMMANDS = [
  ...[accessCommand, backupCommand, datasetsCommand, doctorCommand, exportCommand, historyCommand, importCommand],
  ...[keysCommand, migrateCommand, restoreCommand, serveCommand, undoCommand],
]

/** The tables that operators may write with psql. */
const TABLES = ['datasets', 'items', 'images', 'code_labels', 'api_keys', 'grants']

/** Members of OpenAPI and JSON Schema that are for people. `version` is that of the gateway. */
const WORDS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'info',
  'tags',
  'servers',
  'deprecated',
])

/** Returns the lines of the interface of this code. */
export function interfaceLines(): string[] {
  const { paths, components } = documentOfAllPaths()
  return [
    ...(readText('.env.example').match(/^# ?[A-Z_]+=.*$/gm) ?? []).map((line) => `setting ${line.replace(/^# ?/, '')}`),
    ...COMMANDS.flatMap((command) => commandLines('catalog', command)),
    ...Object.entries(ERRORS).map(([code, { status }]) => `error ${code} ${status}`),
    ...[...createTools().values()].flatMap(({ definition }) => valueLines(`tool ${definition.name}`, definition)),
    ...columnLines(),
    ...valueLines('openapi', { paths, components }),
  ]
}

/**
 * Compares two interfaces.
 * @returns the promises of the first that the second lacks or has in another order, and what the second requires in addition
 */
export function breaksOf(before: readonly string[], now: readonly string[]): string[] {
  const current = new Set(now)
  const missing = before.filter((line) => !current.has(line))
  const common = new Set(before.filter((line) => current.has(line)))
  const inOrder = now.filter((line) => common.has(line))
  const moved = [...common].filter((line, index) => inOrder[index] !== line).slice(0, 1)
  const known = new Set(before)
  const required = now.filter((line) => !known.has(line) && isRequest(line) && operationOf(line, known))
  return [
    ...missing.map((line) => `is gone: ${line}`),
    ...moved.map((line) => `is elsewhere: ${line}`),
    ...required.map((line) => `is required now: ${line}`),
  ]
}

/** Whether a line requires something of a request: a parameter of a route, or an argument of a tool. */
function isRequest(line: string): boolean {
  return /^openapi\.paths\..*\.parameters\[[^\]]*\]\.required = true$|^tool \S+\.inputSchema\.required\[\] = /.test(
    line,
  )
}

/** Whether the route or the tool of a line was there before. */
function operationOf(line: string, known: ReadonlySet<string>): boolean {
  const [start = ''] = /^.*?(?=\.parameters|\.inputSchema)/.exec(line) ?? []
  return [...known].some((other) => other.startsWith(`${start}.`))
}

function readText(path: string): string {
  return readFileSync(join(CHECKOUT, path), 'utf8')
}

function commandLines(parent: string, command: Command): string[] {
  const name = `${parent} ${command.name()}`
  const words = command.registeredArguments.map((argument) => `${argument.required ? '<' : '['}${argument.name()}`)
  return [
    [name, ...words].join(' '),
    ...command.options.map(({ flags, mandatory }) => `${name} ${flags}${mandatory ? ' (required)' : ''}`),
    ...command.commands.flatMap((subcommand) => commandLines(name, subcommand)),
  ]
}

function columnLines(): string[] {
  const objects: { name: string; create: string }[] = JSON.parse(readText('prisma/objects.json'))
  const columnsOf = (table: string) => objects.filter(({ name }) => name.startsWith(`column ${table}.`))
  return TABLES.flatMap(columnsOf).map(({ create }) => create)
}

/** A line for each value in an object: its path and the value. Lists of names have no numbers, so one may be added anywhere. */
function valueLines(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => elementLines(path, element, index))
  if (typeof value !== 'object' || value === null) return [`${path} = ${JSON.stringify(value)}`]
  const isNames = path.endsWith('.properties') || path.endsWith('.paths')
  return Object.entries(value)
    .filter(([name]) => isNames || !WORDS.has(name))
    .flatMap(([name, member]) => valueLines(`${path}.${name}`, member))
}

function elementLines(path: string, element: unknown, index: number): string[] {
  if (typeof element !== 'object' || element === null) return [`${path}[] = ${JSON.stringify(element)}`]
  const names: { name?: string; $ref?: string } = element
  return valueLines(`${path}[${names.name ?? names.$ref ?? index}]`, element)
}
