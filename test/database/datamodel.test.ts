import { expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { readDatamodel } from '../support/datamodel.ts'

/*
 * schema.prisma and the migrations are both written by hand. This test compares them.
 */

const db = useDatabase()

const NOT_IN_THE_DATAMODEL = [
  // Prisma does not know the condition of a unique index: it would accept an item's id as the key of one image.
  'unique index images_one_primary_per_item on images using btree (item_id) where is_primary',
  // Prisma does not know indexes on expressions.
  'index items_letter_grams_idx on items using gin (letter_grams(folded_name, folded_keywords))',
  'index items_letters_idx on items using btree (dataset_id, "left"(letters_of(folded_name), 50), id)',
  'index items_grams_idx on items using gin (item_grams(folded_name, folded_keywords))',
]

/** One line for each object, as `readDatamodel` writes them. Tables of Prisma Migrate and of PostGIS are left out. */
const OBJECTS = `
  WITH tables AS (
    SELECT oid, relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ('_prisma_migrations', 'spatial_ref_sys')
  )
  SELECT 'enum ' || typname || ' (' || string_agg(enumlabel, ', ' ORDER BY enumsortorder) || ')' AS line
    FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid GROUP BY typname
  UNION ALL
  SELECT 'column ' || name || '.' || attname || ' ' || format_type(atttypid, atttypmod)
         || CASE WHEN attnotnull THEN ' not null' ELSE '' END
         || CASE WHEN attgenerated = 's' THEN ' generated'
                 ELSE coalesce(' default ' || regexp_replace(pg_get_expr(adbin, adrelid), '::[a-z]+(\\[\\])?', '', 'g'), '') END
    FROM tables JOIN pg_attribute ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT CASE WHEN indisprimary THEN 'primary key ' WHEN indisunique THEN 'unique index ' ELSE 'index ' END
         || index.relname || ' on ' || name || ' using ' || amname
         || ' (' || (SELECT string_agg(pg_get_indexdef(indexrelid, n, true), ', ' ORDER BY n)
                       FROM generate_series(1, indnatts) AS n) || ')'
         || coalesce(' where ' || regexp_replace(pg_get_expr(indpred, indrelid), '^\\((.*)\\)$', '\\1'), '')
    FROM tables JOIN pg_index ON indrelid = tables.oid
    JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_am ON pg_am.oid = index.relam
  UNION ALL
  SELECT 'foreign key ' || conname || ' on ' || name || ' (' || (${columnList('conrelid', 'conkey')}) || ')'
         || ' references ' || confrelid::regclass || ' (' || (${columnList('confrelid', 'confkey')}) || ')'
         || ' on delete ' || (${actionName('confdeltype')}) || ' on update ' || (${actionName('confupdtype')})
    FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE contype = 'f'`

function columnList(table: string, columns: string): string {
  return `SELECT string_agg(attname, ', ' ORDER BY place)
            FROM unnest(${columns}) WITH ORDINALITY AS key (number, place)
            JOIN pg_attribute ON attrelid = ${table} AND attnum = number`
}

function actionName(action: string): string {
  return `CASE ${action} WHEN 'a' THEN 'no action' WHEN 'c' THEN 'cascade' ELSE ${action}::text END`
}

test('schema.prisma declares the enums, columns, keys, indexes and foreign keys that the migrations create', async () => {
  const { rows } = await db.database.withSession((session) => session.query<{ line: string }>(OBJECTS))
  const created = rows.map(({ line }) => line)
  const declared = [...readDatamodel(), ...NOT_IN_THE_DATAMODEL]
  expect(declared.length).toBeGreaterThan(80)
  expect({
    onlyInDatamodel: declared.filter((line) => !created.includes(line)),
    onlyInDatabase: created.filter((line) => !declared.includes(line)),
  }).toEqual({ onlyInDatamodel: [], onlyInDatabase: [] })
})
