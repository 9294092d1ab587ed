import type { Prisma } from '../../generated/prisma/client.ts'
import type { Circle } from '../arguments.ts'
import type { Fetched } from '../page.ts'
import type { Scope } from './item-list.ts'
import { centreOf, isInCircle, itemsOf, type NearbyWindow } from './nearby.ts'
import { allItems, candidatesFor, foldText, isFound, type Search } from './search.ts'

/** What the items have in common: a circle, and words or a box. */
export interface CircleSearch extends Search, Circle {}

/**
 * A part of the list of the items that a search finds in a circle, nearest first, then by id, and the total. PostgreSQL chooses
 * between the index of grams and the one of locations.
 */
export async function fetchSearchInCircle(
  prisma: Prisma.TransactionClient,
  window: CircleSearch & NearbyWindow,
  scope: Scope,
): Promise<Fetched> {
  const text = window.text === undefined ? undefined : await foldText(prisma, window.text)
  const { items, words } = text ? candidatesFor(text, scope) : { items: allItems(scope), words: [] }
  const [row] = await prisma.$queryRaw<Fetched[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window)}) AS distance
        ${items} AND ${isFound(window, words)} AND ${isInCircle(window)}
    )
    SELECT ${itemsOf(window)} AS json, (SELECT count(*) FROM hit)::integer AS total`
  return row ? row : { json: '[]', total: 0 }
}
