import { Prisma } from '../../generated/prisma/client.ts'
import { type BoundingBox, coverBox } from '../box.ts'
import { type ItemProjection, itemColumns, type RawItem, rawItemColumns } from '../item-columns.ts'
import { guardProjection, type Item } from '../models.ts'
import type { Fetched } from '../page.ts'

/*
 * Items by name, in a box, or both (decisions.md section 9). PostgreSQL folds names and texts, so that there is one folding.
 */

/** What the items have in common. */
export interface Search {
  text?: string | undefined
  within?: BoundingBox | undefined
  administrativeAreaCode?: string | undefined
  categoryCode?: string | undefined
}

/** A part of the list of the found items. */
export interface SearchWindow extends Search {
  limit: number
  offset: number
  projection: ItemProjection
  /** If given, PostgreSQL writes these members for clients, and `projection` is not used. */
  rawItem?: RawItem | undefined
}

/** UUIDs of the datasets to search. */
type Scope = readonly string[]

/** A folded text: its words, and the words with single spaces between them. */
interface FoldedText {
  words: readonly string[]
  phrase: string
}

/** A part of the list, and the total. @param isReference tells to look at all items of the datasets. */
export async function fetchSearchPage(
  prisma: Prisma.TransactionClient,
  window: SearchWindow,
  scope: Scope,
  { isReference = false } = {},
): Promise<Fetched<Item>> {
  const text = window.text === undefined ? undefined : await foldText(prisma, window.text)
  const { limit, offset, projection, rawItem } = window
  const candidates = isReference ? allItems(scope) : candidatesFor(window, text, scope)
  const rows = await prisma.$queryRaw<{ nodes: string; total: number }[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, i.name, ${rankOf(text)} AS rank ${candidates} AND ${isFound(window, text)}
    )
    SELECT (SELECT count(*) FROM hit)::integer AS total,
           array_to_json(ARRAY(SELECT page FROM (
             SELECT ${rawItem ? rawItemColumns(rawItem) : itemColumns(projection)}
               FROM (SELECT * FROM hit ORDER BY rank, name, id LIMIT ${limit} OFFSET ${offset}::bigint) AS place
               JOIN items i ON i.id = place.id
              ORDER BY place.rank, place.name, place.id
           ) AS page))::text AS nodes`
  const { nodes = '[]', total = 0 } = rows[0] ?? {}
  if (rawItem) return { nodes: [], rawJson: nodes, total }
  const items: Item[] = JSON.parse(nodes)
  return { nodes: items.map(guardProjection), total }
}

/** @see https://www.unicode.org/reports/tr44/#White_Space */
const WHITE_SPACE = /\p{White_Space}+/u

async function foldText(prisma: Prisma.TransactionClient, text: string): Promise<FoldedText> {
  const [row] = await prisma.$queryRaw<{ folded: string }[]>`SELECT fold_name(${text}) AS folded`
  const words = (row?.folded ?? '').split(WHITE_SPACE).filter((word) => word !== '')
  return { words, phrase: words.join(' ') }
}

/** FROM and the beginning of WHERE: items that indexes give, among them all that are found. */
function candidatesFor({ within }: Search, text: FoldedText | undefined, scope: Scope): Prisma.Sql {
  if (text) return Prisma.sql`${allItems(scope)} AND name_grams(i.folded_name) @> ${gramsOf(text)}::text[]`
  const ranges = within ? coverBox(within) : []
  return Prisma.sql`
    FROM unnest(${ranges.map(({ first }) => String(first))}::text[]::bigint[],
                ${ranges.map(({ end }) => String(end))}::text[]::bigint[]) AS range (first_cell, end_cell)
    JOIN items i ON i.tile_cell >= range.first_cell AND i.tile_cell < range.end_cell
   WHERE i.dataset_id = ANY (${[...scope]}::uuid[])`
}

function allItems(scope: Scope): Prisma.Sql {
  return Prisma.sql`FROM items i WHERE i.dataset_id = ANY (${[...scope]}::uuid[])`
}

/** The pairs of adjacent characters of each word, or its only character. The SQL function `name_grams` gives those of a name. */
function gramsOf({ words }: FoldedText): string[] {
  const grams = words.flatMap((word) => {
    const characters = [...word]
    return characters.length === 1 ? characters : characters.slice(1).map((next, n) => `${characters[n]}${next}`)
  })
  return [...new Set(grams)]
}

/** 0 for a name that is equal to the text, 1 for a name that begins with it, 2 for others. */
function rankOf(text: FoldedText | undefined): Prisma.Sql {
  if (!text) return Prisma.sql`0`
  return Prisma.sql`CASE WHEN i.folded_name = ${text.phrase} THEN 0 WHEN starts_with(i.folded_name, ${text.phrase}) THEN 1 ELSE 2 END`
}

function isFound({ within, administrativeAreaCode, categoryCode }: Search, text: FoldedText | undefined): Prisma.Sql {
  const conditions = [Prisma.sql`true`]
  for (const word of text?.words ?? []) conditions.push(Prisma.sql`strpos(i.folded_name, ${word}) > 0`)
  if (within) conditions.push(isWithin(within))
  if (administrativeAreaCode) conditions.push(Prisma.sql`i.administrative_area_code = ${administrativeAreaCode}`)
  if (categoryCode) conditions.push(Prisma.sql`i.category_code = ${categoryCode}`)
  return Prisma.join(conditions, ' AND ')
}

/** The decimals of the item decide. Text keeps the decimals of the box: PostgreSQL would round a float. */
function isWithin({ west, south, east, north }: BoundingBox): Prisma.Sql {
  const degrees = (value: number) => Prisma.sql`${String(value)}::text::numeric`
  const isEast = Prisma.sql`i.longitude >= ${degrees(west)}`
  const isWest = Prisma.sql`i.longitude <= ${degrees(east)}`
  const isBetween = west <= east ? Prisma.sql`${isEast} AND ${isWest}` : Prisma.sql`(${isEast} OR ${isWest})`
  return Prisma.sql`i.latitude >= ${degrees(south)} AND i.latitude <= ${degrees(north)} AND ${isBetween}`
}
