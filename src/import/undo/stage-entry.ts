import { PART_LINES } from '../../history/entry-changes.ts'
import { columnList, type SqlText, sql } from '../../sql.ts'
import { indexStaging, MERGED_COLUMN_NAMES, type Staged } from '../load/staging.ts'

/** The table of the ids and hashes of the items that an entry created or changed, as they were after it. It ends with the transaction. */
export const afterOf = (table: SqlText) => sql`${table}_after`

/**
 * Stages the items that an entry changed or removed, as they were before it, and creates the table of those after it. A column that a
 * migration has added since keeps its value.
 */
export async function stageEntry({ session, table }: Staged, entryId: string): Promise<void> {
  await session.query(
    sql`INSERT INTO ${table} (${columnList(MERGED_COLUMN_NAMES)}, n, file, line, has_own_id, images)
     SELECT ${columnList(MERGED_COLUMN_NAMES, sql`r`)}, row_number() OVER (), 0, 0, true,
            (SELECT coalesce(jsonb_agg(image - 'item_id' ORDER BY place), '[]')
               FROM jsonb_array_elements(before.line -> 'images') WITH ORDINALITY AS given (image, place))
       -- PostgreSQL would otherwise parse each line several times.
       FROM (SELECT line::jsonb FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'before' OFFSET 0) AS before
       LEFT JOIN items AS i ON i.id = (before.line ->> 'id')::uuid
      CROSS JOIN jsonb_populate_record(i, before.line) AS r`,
    [entryId],
  )
  await indexStaging(session, table)
  const after = afterOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${after} (id uuid PRIMARY KEY, hash bigint NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO ${after}
     SELECT split_part(line, ' ', 1)::uuid, split_part(line, ' ', 2)::bigint FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'after'`,
    [entryId],
  )
  await session.query(sql`ANALYZE ${after}`)
}
