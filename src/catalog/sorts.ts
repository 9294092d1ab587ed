import { z } from 'zod'
import { Prisma } from '../generated/prisma/client.ts'
import { columnName, type ItemField, toIsoExpression } from './columns.ts'
import { type Item, type Timestamp, toIso } from './models.ts'

/** An order of items: by one field, then by id. An index on dataset, field and id serves it. */
export interface Sort {
  /** The column of the items `i`. */
  column: Prisma.Sql
  /** The column's type, which the text of a cursor is cast to. */
  sqlType: Prisma.Sql
  /** The value of an item as a cursor holds it. */
  toText: (item: Item) => string
  /** SQL that gives the same text for a value of the column. */
  toTextExpression: (value: string) => string
  /** Whether text from a cursor is a value of the field. */
  isValue: (text: string) => boolean
}

type TextField = { [Field in ItemField]: Item[Field] extends string ? Field : never }[ItemField]
type TimestampField = { [Field in ItemField]: Timestamp extends Item[Field] ? Field : never }[ItemField]

/** A sort by text, in the order of Unicode code points if the column has the collation `C`, as it must. */
function textSort(field: TextField): Sort {
  return {
    column: columnOf(field),
    sqlType: Prisma.sql`text`,
    toText: (item) => item[field],
    toTextExpression: (value) => value,
    isValue: (text) => !text.includes('\0'),
  }
}

/** A sort by time, oldest first. */
function timestampSort(field: TimestampField): Sort {
  return {
    column: columnOf(field),
    sqlType: Prisma.sql`timestamptz`,
    toText: (item) => toIso(item[field]),
    toTextExpression: toIsoExpression,
    isValue: (text) => z.iso.datetime().safeParse(text).success,
  }
}

function columnOf(field: ItemField): Prisma.Sql {
  return Prisma.raw(`i.${columnName(field)}`)
}

/** All sort orders. To add one, add a row here, an index and a description in graphql/types/arguments.ts. */
export const SORTS = {
  name: textSort('name'),
  createdAt: timestampSort('createdAt'),
  updatedAt: timestampSort('updatedAt'),
} satisfies { [Field in ItemField]?: Sort }

export type ItemSort = keyof typeof SORTS

export const ITEM_SORTS = Object.keys(SORTS).filter((name): name is ItemSort => name in SORTS)
