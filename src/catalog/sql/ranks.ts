import { Prisma } from '../../generated/prisma/client.ts'
import { allOf, whereInName } from './select.ts'
import type { FoldedText } from './words.ts'

/*
 * The order of the items that have the words of a text: 0 for a name or keyword that is equal to the text, 1 for a name that begins with it,
 * 2 for other names with every word, 3 for the rest.
 */

/** SQL for the rank of the item `i`. */
export function rankOf(text: FoldedText | undefined): Prisma.Sql {
  if (!text) return Prisma.sql`0`
  return Prisma.sql`CASE WHEN ${whereEqual(text)} THEN 0 WHEN ${whereBegins(text)} THEN 1
                         WHEN i.folded_keywords = '' OR ${whereAllInName(text)} THEN 2 ELSE 3 END`
}

/** SQL condition of rank 0. */
export function whereEqual({ phrase }: FoldedText): Prisma.Sql {
  return Prisma.sql`(i.folded_name = ${phrase} OR strpos(i.folded_keywords, ${`\n${phrase}\n`}) > 0)`
}

/** SQL condition of the ranks 0 and 1, but for equal keywords. */
export function whereBegins({ phrase }: FoldedText): Prisma.Sql {
  return Prisma.sql`starts_with(i.folded_name, ${phrase})`
}

/** SQL condition of the ranks 0 to 2, but for equal keywords. */
export function whereAllInName({ words }: FoldedText): Prisma.Sql {
  return allOf(words.map(whereInName))
}
