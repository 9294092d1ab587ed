import { Prisma } from '../../generated/prisma/client.ts'
import { ORDERED_LETTERS } from '../suggestions.ts'
import { among, type Items, itemsOf, type Scope, select } from './select.ts'

/*
 * Look-ups of items by the letters of their names and keywords (`letters_of`), each in an index.
 */

/** The grams of letters of an item, and `=` before each whole keyword. An index has them. */
export const LETTER_GRAMS = Prisma.sql`letter_grams(i.folded_name, i.folded_keywords)`

/** The first letters of a name. An index has them. */
export const BEGINNING = Prisma.sql`left(letters_of(i.folded_name), 50) COLLATE "C"`

/** The last code point. */
export const LAST = '\u{10ffff}'

/** SQL condition: the letters of the item's name begin with a phrase of at most as many letters as the index has. */
export function begins(phrase: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${BEGINNING} >= ${phrase} AND ${BEGINNING} <= ${phrase} || ${LAST.repeat(ORDERED_LETTERS)}`
}

/**
 * SQL for the id and name of the items with one of the names, or with the keyword, as `letters_of` writes them, at most 50 letters. Each is
 * a look-up in its index. PostgreSQL plans it for all rows, because the table is materialized: with the order or the limit in it, it could
 * walk over all items instead.
 * @param rest is the order and the limit
 */
export function itemsEqualTo(
  { names, keyword }: { names: Prisma.Sql; keyword: Prisma.Sql },
  where: Prisma.Sql,
  scope: Scope,
  rest: Prisma.Sql,
): Prisma.Sql {
  const firstOf = (items: Items) => Prisma.sql`
    (WITH equal AS MATERIALIZED (${select(Prisma.sql`i.*`, items)})
     ${select(Prisma.sql`i.id, i.name`, { from: Prisma.sql`equal AS i`, where }, rest)})`
  const ofOwner = (condition: Prisma.Sql) =>
    Prisma.sql`(SELECT one.* FROM ${ownersOf(scope)}, LATERAL ${firstOf(ownItems(condition))} AS one)`
  const hasKeyword = Prisma.sql`${LETTER_GRAMS} @> ARRAY['=' || ${keyword}]`
  // The index of keywords is one for all datasets.
  const keyworded = scope.length > FEW_OWNERS ? firstOf(among(itemsOf(scope), hasKeyword)) : ofOwner(hasKeyword)
  return Prisma.sql`${ofOwner(Prisma.sql`${BEGINNING} = ANY (${names})`)} UNION ${keyworded}`
}

/** For more datasets, a look-up in each takes longer than parallel workers. */
const FEW_OWNERS = 10

/** A table of the datasets. For a LATERAL, PostgreSQL starts no parallel workers, which takes 7 ms. */
export function ownersOf(scope: Scope): Prisma.Sql {
  return Prisma.sql`unnest(${[...scope]}::uuid[]) AS owner (dataset_id)`
}

/** The items of `owner` that match the conditions. */
export function ownItems(...conditions: readonly Prisma.Sql[]): Items {
  return among({ from: Prisma.sql`items i`, where: Prisma.sql`i.dataset_id = owner.dataset_id` }, ...conditions)
}
