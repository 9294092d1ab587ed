import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { whereFilters } from '../filters.ts'
import type { Circle, Selection } from '../selection.ts'

/*
 * SQL conditions of an item `i`. All doors select items by them.
 */

/**
 * The item matches every member of the selection.
 * @param words are the folded words of its text that no index has found yet (search.ts)
 */
export function whereSelected(selection: Omit<Selection, 'text'>, words: readonly string[] = []): Prisma.Sql {
  const { within, circle, updatedFrom, updatedTo } = selection
  const conditions = [whereFilters(selection), ...words.map(whereWord)]
  if (within) conditions.push(whereInBox(within))
  if (circle) conditions.push(whereInCircle(circle))
  if (updatedFrom) conditions.push(Prisma.sql`i.updated_at >= ${updatedFrom.toISOString()}::timestamptz`)
  if (updatedTo) conditions.push(Prisma.sql`i.updated_at <= ${updatedTo.toISOString()}::timestamptz`)
  return Prisma.join(conditions, ' AND ')
}

function whereWord(word: string): Prisma.Sql {
  return Prisma.sql`(${whereInName(word)} OR strpos(i.folded_keywords, ${word}) > 0)`
}

/** The folded name has the word. */
export function whereInName(word: string): Prisma.Sql {
  return Prisma.sql`strpos(i.folded_name, ${word}) > 0`
}

/** The item is in the box. Text keeps the decimals of the box: PostgreSQL would round a float. */
export function whereInBox({ west, south, east, north }: BoundingBox): Prisma.Sql {
  const degrees = (value: number) => Prisma.sql`${String(value)}::text::numeric`
  const isEast = Prisma.sql`i.longitude >= ${degrees(west)}`
  const isWest = Prisma.sql`i.longitude <= ${degrees(east)}`
  const whereBetween = west <= east ? Prisma.sql`${isEast} AND ${isWest}` : Prisma.sql`(${isEast} OR ${isWest})`
  return Prisma.sql`i.latitude >= ${degrees(south)} AND i.latitude <= ${degrees(north)} AND ${whereBetween}`
}

/** The item is in the circle. */
export function whereInCircle(circle: Circle): Prisma.Sql {
  return Prisma.sql`ST_DWithin(i.location, ${centreOf(circle)}, ${circle.radius}::float8)`
}

/** SQL for the centre, as a PostGIS geography. In a subquery, so that PostgreSQL computes it once and not for each item. */
export function centreOf({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`(SELECT ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography)`
}
