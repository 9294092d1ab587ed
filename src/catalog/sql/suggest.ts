import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { type Item, type JsonText, parseItems } from '../models.ts'
import { type ItemProjection, itemsAt, jsonText } from '../projection.ts'
import { type Candidate, gramsOf, isShort, type Meant, neededGrams, rankCandidates } from '../suggestions.ts'
import type { Scope } from './item-list.ts'
import { allItems, isFound } from './search.ts'

/*
 * Items that are probably meant by a text. PostgreSQL finds candidates by indexes, and TypeScript ranks them (suggestions.ts).
 */

/**
 * Of the items that share grams with a text, at most this many are compared, those with the shortest names: to compare all of them would
 * take 4 seconds for a word of 300,000 names.
 */
const MOST_COMPARED = 2_000

/** A text, and what the items have in common. */
export interface Suggestion {
  text: string
  within?: BoundingBox | undefined
  categoryCode?: string | undefined
  limit: number
}

/**
 * The ids of the items that are probably meant, best first.
 * @param isReference is whether all items of the datasets are candidates
 */
export async function fetchSuggestions(
  prisma: Prisma.TransactionClient,
  suggestion: Suggestion,
  scope: Scope,
  { isReference = false } = {},
): Promise<string[]> {
  const meant = await readText(prisma, suggestion.text)
  if (meant.phrase === '') return []
  const candidates = isReference
    ? await readCandidates(prisma, Prisma.sql`${allItems(scope)} AND ${isAllowed(suggestion)}`)
    : await findCandidates(prisma, meant, suggestion, scope)
  return rankCandidates(meant, candidates, suggestion.limit)
}

/** The projected items in the order of the ids. */
export async function fetchItemsInOrder(
  prisma: Prisma.TransactionClient,
  ids: readonly string[],
  projection: ItemProjection,
): Promise<Item[]> {
  if (ids.length === 0) return []
  const places = Prisma.sql`SELECT place.rank, place.id FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS place (id, rank)`
  const items = jsonText(itemsAt(places, Prisma.sql`place.rank`, projection))
  const [row] = await prisma.$queryRaw<{ json: JsonText }[]>`SELECT ${items} AS json`
  return parseItems(row?.json ?? '[]')
}

async function readText(prisma: Prisma.TransactionClient, text: string): Promise<Meant> {
  const [row] = await prisma.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  const phrase = (row?.letters ?? '')
    .split(/[\s\n]+/u)
    .filter((word) => word !== '')
    .join(' ')
  return { phrase, grams: gramsOf(phrase) }
}

/**
 * Equal names and keywords and names that begin with the text come before all others. So the others are needed only if there are too
 * few of these.
 */
async function findCandidates(
  prisma: Prisma.TransactionClient,
  meant: Meant,
  suggestion: Suggestion,
  scope: Scope,
): Promise<Candidate[]> {
  const places = Prisma.sql`(${equalItems(meant, suggestion, scope)}) UNION (${beginnings(meant, suggestion, scope)})`
  const first = isShort(meant.phrase)
    ? await readCandidates(prisma, Prisma.sql`FROM (${places}) AS place JOIN items i ON i.id = place.id WHERE true`)
    : []
  if (first.length >= suggestion.limit) return first
  const others = await readCandidates(
    prisma,
    Prisma.sql`
      FROM (SELECT i.id ${allItems(scope)} AND (${sharesGroup([...meant.grams])}) AND ${isAllowed(suggestion)}
             ORDER BY length(i.folded_name), i.id LIMIT ${MOST_COMPARED}) AS place
      JOIN items i ON i.id = place.id WHERE true`,
  )
  return [...new Map([...first, ...others].map((candidate) => [candidate.id, candidate])).values()]
}

/** @param items is FROM and the beginning of WHERE */
function readCandidates(prisma: Prisma.TransactionClient, items: Prisma.Sql): Promise<Candidate[]> {
  return prisma.$queryRaw<Candidate[]>`
    SELECT i.id, i.name, letters_of(i.folded_name) AS letters, letters_of(i.folded_keywords) AS keywords ${items}`
}

function equalItems({ phrase }: Meant, suggestion: Suggestion, scope: Scope): Prisma.Sql {
  return Prisma.sql`
    SELECT i.id ${allItems(scope)} AND letter_grams(i.folded_name, i.folded_keywords) @> ARRAY[${`=${phrase}`}]
       AND ${isAllowed(suggestion)} ORDER BY i.name, i.id LIMIT ${suggestion.limit}`
}

function beginnings({ phrase }: Meant, suggestion: Suggestion, scope: Scope): Prisma.Sql {
  const beginning = Prisma.sql`left(letters_of(i.folded_name), 50) COLLATE "C"`
  // No letter is beyond the last code point.
  const end = `${phrase}\u{10ffff}`
  return Prisma.sql`
    SELECT one.id FROM unnest(${[...scope]}::uuid[]) AS owner (dataset_id)
     CROSS JOIN LATERAL (
            SELECT i.id, ${beginning} AS beginning FROM items i
             WHERE i.dataset_id = owner.dataset_id AND ${beginning} >= ${phrase} AND ${beginning} < ${end}
               AND ${isAllowed(suggestion)}
             ORDER BY ${beginning}, i.id LIMIT ${suggestion.limit}
          ) AS one
     ORDER BY one.beginning, one.id LIMIT ${suggestion.limit}`
}

/**
 * SQL condition: the item `i` has all grams of one of the groups of grams. There is one group more than the grams that a name or keyword
 * may lack, so it has all grams of at least one group.
 */
function sharesGroup(grams: readonly string[]): Prisma.Sql {
  const count = grams.length - neededGrams(grams.length) + 1
  const groups = Array.from({ length: count }, (_, group) => grams.filter((_gram, n) => n % count === group))
  const hasGroup = (group: string[]) => Prisma.sql`letter_grams(i.folded_name, i.folded_keywords) @> ${group}::text[]`
  return Prisma.join(groups.map(hasGroup), ' OR ')
}

function isAllowed({ within, categoryCode }: Suggestion): Prisma.Sql {
  return isFound({ within, categoryCode }, [])
}
