import { columnList, type SqlText, sql } from '../../sql.ts'
import { ITEM_COLUMN_NAMES, indexStaging, type Staged } from '../load/staging.ts'

const COLUMNS = [...ITEM_COLUMN_NAMES, 'created_at', 'updated_at']

/** The table of the ids and hashes of the items that an entry created or changed, as they were after it. It ends with the transaction. */
export const afterOf = (table: SqlText) => sql`${table}_after`

/** SQL for the lines of a kind of the entry $1. Each is made once. */
const lines = (kind: SqlText, line: SqlText) => sql`(
  SELECT ${line} AS line FROM history_parts CROSS JOIN string_to_table(content, E'\\n') AS line
   WHERE entry_id = $1 AND kind = '${kind}' OFFSET 0)`

/**
 * Stages the items that an entry changed or removed, as they were before it, and creates the table of those after it. A column that a
 * migration has added since keeps its value.
 */
export async function stageEntry({ session, table }: Staged, entryId: string): Promise<void> {
  await session.query(
    sql`INSERT INTO ${table} (${columnList(COLUMNS)}, n, file, line, has_own_id, images)
     SELECT ${columnList(COLUMNS, sql`r`)}, row_number() OVER (), 0, 0, true,
            (SELECT coalesce(jsonb_agg(image - 'item_id' ORDER BY place), '[]')
               FROM jsonb_array_elements(before.line -> 'images') WITH ORDINALITY AS given (image, place))
       FROM ${lines(sql`before`, sql`line::jsonb`)} AS before LEFT JOIN items AS i ON i.id = (before.line ->> 'id')::uuid
      CROSS JOIN jsonb_populate_record(i, before.line) AS r`,
    [entryId],
  )
  await indexStaging(session, table)
  const after = afterOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${after} (id uuid PRIMARY KEY, hash bigint NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO ${after}
     SELECT split_part(line, ' ', 1)::uuid, split_part(line, ' ', 2)::bigint FROM ${lines(sql`after`, sql`line`)} AS after`,
    [entryId],
  )
  await session.query(sql`ANALYZE ${after}`)
}
