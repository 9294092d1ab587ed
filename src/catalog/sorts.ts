import { z } from 'zod'
import { rawSql } from '../database/raw-sql.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { sql } from '../sql.ts'
import { type ItemField, itemColumn } from './columns.ts'
import { FIRST_TIMESTAMP, type Item, type Timestamp, toIso } from './models.ts'
import { toIsoExpression } from './projection.ts'

/** A sort order of items: by one field, then by id. It needs an index on dataset, field and id. */
interface Sort {
  /** Its description in the GraphQL schema. */
  description: string
  /** The column of the items `i`. */
  column: Prisma.Sql
  /** The type of the column. SQL casts the text from a cursor to it. */
  sqlType: Prisma.Sql
  /** The item's value as text, for a cursor. */
  toText: (item: Item) => string
  /** SQL that converts `value`, a value of the column, to the same text. */
  valueAsText: Prisma.Sql
  /** Whether the text from a cursor is a valid value. */
  isValue: (text: string) => boolean
}

type TextField = { [Field in ItemField]: Item[Field] extends string ? Field : never }[ItemField]
type TimestampField = { [Field in ItemField]: Timestamp extends Item[Field] ? Field : never }[ItemField]

/** A sort by text in Unicode code point order. The column must have the collation `C`. */
function textSort(field: TextField, description: string): Sort {
  return {
    description,
    column: itemColumn(field),
    sqlType: Prisma.sql`text`,
    toText: (item) => item[field],
    valueAsText: Prisma.sql`value`,
    isValue: (text) => !text.includes('\0'),
  }
}

/** A sort by time, oldest first. */
function timestampSort(field: TimestampField, description: string): Sort {
  return {
    description,
    column: itemColumn(field),
    sqlType: Prisma.sql`timestamptz`,
    toText: (item) => toIso(item[field]),
    valueAsText: rawSql(toIsoExpression(sql`value`)),
    isValue: (text) => z.iso.datetime({ precision: 3 }).safeParse(text).success && text >= FIRST_TIMESTAMP,
  }
}

/** All sort orders. To add one, add a row here and an index. */
export const SORTS = {
  name: textSort('name', 'By name, in Unicode code point order.'),
  createdAt: timestampSort('createdAt', 'By the time of creation.'),
  updatedAt: timestampSort('updatedAt', 'By the time of the last change.'),
} satisfies { [Field in ItemField]?: Sort }

export type ItemSort = keyof typeof SORTS

export const ITEM_SORTS = Object.keys(SORTS).filter((name): name is ItemSort => name in SORTS)
