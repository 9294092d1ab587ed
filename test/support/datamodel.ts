import { readFileSync } from 'node:fs'

/*
 * Reads prisma/schema.prisma. `prisma migrate diff` would compare it with a database, but it needs an engine that
 * `npm ci` does not install. https://www.prisma.io/docs/orm/reference/prisma-schema-reference
 */

/** A model or an enum. */
interface Block {
  /** The name of the table or enum in the database. */
  name: string
  lines: string[]
}

const SCALAR_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  Json: 'jsonb',
}

const NATIVE_TYPES: Readonly<Record<string, (parameters: string) => string>> = {
  Uuid: () => 'uuid',
  Date: () => 'date',
  SmallInt: () => 'smallint',
  Decimal: (parameters) => `numeric(${parameters})`,
  Timestamptz: (parameters) => `timestamp(${parameters}) with time zone`,
}

/** One line for each enum, column, key, index and foreign key that schema.prisma declares. */
export function readDatamodel(): string[] {
  const source = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
  const models = readBlocks(source, 'model')
  const enums = readBlocks(source, 'enum')
  return [
    ...[...enums.values()].map(({ name, lines }) => `enum ${name} (${fieldsOf(lines).join(', ')})`),
    ...[...models.values()].flatMap((model) => describeModel(model, models, enums)),
  ]
}

function readBlocks(source: string, kind: string): Map<string, Block> {
  const blocks = source.matchAll(new RegExp(`^${kind} (\\w+) \\{\\n(.*?)^\\}`, 'gms'))
  return new Map(
    [...blocks].map(([, name = '', body = '']) => {
      const lines = body.split('\n').map((line) => line.trim())
      const map = /^@@map\("(\w+)"\)/m.exec(lines.join('\n'))?.[1]
      return [name, { name: map ?? name, lines: lines.filter((line) => line !== '' && !line.startsWith('//')) }]
    }),
  )
}

const fieldsOf = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('@@'))

function describeModel(model: Block, models: ReadonlyMap<string, Block>, enums: ReadonlyMap<string, Block>): string[] {
  return model.lines.flatMap((line) => {
    if (line.startsWith('@@map')) return []
    if (line.startsWith('@@')) return describeKey(model, line)
    const [, type = ''] = /^\w+\s+(\w+)/.exec(line) ?? []
    const target = models.get(type)
    if (target) return line.includes('fields:') ? describeForeignKey(model, target, line) : []
    return [...describeColumn(model, line, enums.get(type)?.name), ...describeFieldKey(model, line)]
  })
}

function describeColumn({ name: table }: Block, line: string, enumName: string | undefined): string[] {
  const [, field = '', scalar = '', unsupported, suffix = ''] =
    /^(\w+)\s+(\w+)(?:\("([^"]+)"\))?(\[\]|\?)?/.exec(line) ?? []
  const [, native = '', parameters = ''] = /@db\.(\w+)(?:\(([^)]*)\))?/.exec(line) ?? []
  const type = NATIVE_TYPES[native]?.(parameters) ?? unsupported ?? enumName ?? SCALAR_TYPES[scalar] ?? scalar
  const nullability = suffix === '?' ? '' : ' not null'
  const array = suffix === '[]' ? '[]' : ''
  return [
    `column ${table}.${columnOf(line, field)} ${type.replaceAll(', ', ',')}${array}${nullability}${defaultOf(line)}`,
  ]
}

function describeFieldKey({ name: table }: Block, line: string): string[] {
  const column = columnOf(line, /^\w+/.exec(line)?.[0] ?? '')
  if (/ @id\b/.test(line)) return [`primary key ${table}_pkey on ${table} using btree (${column})`]
  if (/ @unique\b/.test(line)) return [`unique index ${table}_${column}_key on ${table} using btree (${column})`]
  return []
}

const KEYS: Readonly<Record<string, { kind: string; nameOf: (table: string, columns: string[]) => string }>> = {
  id: { kind: 'primary key', nameOf: (table) => `${table}_pkey` },
  unique: { kind: 'unique index', nameOf: (table, columns) => [table, ...columns, 'key'].join('_') },
  index: { kind: 'index', nameOf: (table, columns) => [table, ...columns, 'idx'].join('_') },
}

function describeKey(model: Block, line: string): string[] {
  const [, attribute = '', list = ''] = /^@@(\w+)\(\[([^\]]+)\]/.exec(line) ?? []
  const key = KEYS[attribute]
  if (!key) return [`unknown attribute ${line}`]
  const columns = columnsOf(model, list)
  const name = /map: "(\w+)"/.exec(line)?.[1] ?? key.nameOf(model.name, columns)
  const method = /type: (\w+)/.exec(line)?.[1]?.toLowerCase() ?? 'btree'
  const where = /where: raw\("([^"]+)"\)/.exec(line)?.[1]
  return [
    `${key.kind} ${name} on ${model.name} using ${method} (${columns.join(', ')})${where === undefined ? '' : ` where ${where}`}`,
  ]
}

function describeForeignKey(model: Block, target: Block, line: string): string[] {
  const listOf = (argument: string) => new RegExp(`${argument}: \\[([^\\]]+)\\]`).exec(line)?.[1] ?? ''
  const actionOf = (argument: string) =>
    (new RegExp(`${argument}: (\\w+)`).exec(line)?.[1] ?? 'unstated').replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  const columns = columnsOf(model, listOf('fields'))
  const name = /map: "(\w+)"/.exec(line)?.[1] ?? [model.name, ...columns, 'fkey'].join('_')
  const references = `${target.name} (${columnsOf(target, listOf('references')).join(', ')})`
  const actions = `on delete ${actionOf('onDelete')} on update ${actionOf('onUpdate')}`
  return [`foreign key ${name} on ${model.name} (${columns.join(', ')}) references ${references} ${actions}`]
}

const columnOf = (line: string, field: string) => / @map\("(\w+)"\)/.exec(line)?.[1] ?? field

function columnsOf({ lines }: Block, list: string): string[] {
  return list.split(', ').map((field) => columnOf(lines.find((line) => line.startsWith(`${field} `)) ?? '', field))
}

function defaultOf(line: string): string {
  const [all, generated, text] = /@default\((?:dbgenerated\((?:"([^"]*)")?\)|"([^"]*)"|\[\])\)/.exec(line) ?? []
  if (all === undefined) return ''
  if (all.includes('dbgenerated')) return generated === undefined ? ' generated' : ` default ${generated}`
  return ` default '${text ?? '{}'}'`
}
