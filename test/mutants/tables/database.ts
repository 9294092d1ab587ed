// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const MIGRATION = 'prisma/migrations/20261128000000_catalog/migration.sql'
const CHANGES = ['test/database/notifications.test.ts']
const COUNTS = ['test/catalog/counts.test.ts']

/** The triggers that count and announce, and the merge of an import. test/database/objects.test.ts finds a missing object. */
export const DATABASE: readonly MutantTable[] = [
  {
    file: MIGRATION,
    tests: CHANGES,
    mutants: [
      { find: "'dataset ' || coalesce(NEW.id, OLD.id)", replace: "'dataset ' || coalesce(OLD.id, NEW.id)" },
      { find: "IF NEW.id <> OLD.id THEN PERFORM pg_notify('catalog', 'dataset ' || OLD.id); END IF;", replace: '' },
      {
        find: 'datasets_notify AFTER INSERT OR UPDATE OR DELETE ON datasets',
        replace: 'datasets_notify AFTER INSERT OR UPDATE ON datasets',
      },
      {
        find: 'datasets_notify AFTER INSERT OR UPDATE OR DELETE ON datasets',
        replace: 'datasets_notify AFTER UPDATE OR DELETE ON datasets',
      },
      { find: 'UPDATE datasets SET revision = revision WHERE id = ANY (ids);', replace: '' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON api_keys', replace: 'AFTER INSERT OR UPDATE ON api_keys' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON api_keys', replace: 'AFTER INSERT OR DELETE ON api_keys' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER UPDATE OR DELETE ON grants' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER INSERT OR DELETE ON grants' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER INSERT OR UPDATE ON grants' },
      { find: "TG_TABLE_NAME IN ('grants', 'retired_secrets')", replace: "TG_TABLE_NAME = 'grants'" },
      {
        find: "IF TG_OP = 'TRUNCATE' THEN\n    PERFORM pg_notify('catalog', 'everything');",
        replace: "IF TG_OP = 'TRUNCATE' THEN",
      },
      {
        find: "'key ' || coalesce(NEW.api_key_id, OLD.api_key_id)",
        replace: "'key ' || coalesce(OLD.api_key_id, NEW.api_key_id)",
      },
      {
        find: "IF NEW.api_key_id <> OLD.api_key_id THEN PERFORM pg_notify('catalog', 'key ' || OLD.api_key_id); END IF;",
        replace: '',
      },
      { find: "'key ' || coalesce(OLD.id, NEW.id)", replace: "'key ' || NEW.id" },
      {
        find: 'AFTER INSERT OR UPDATE OR DELETE ON retired_secrets',
        replace: 'AFTER INSERT OR UPDATE ON retired_secrets',
      },
      { find: 'greatest(microseconds, OLD.revision + 1)', replace: 'microseconds' },
      { find: 'OLD.revision + 1', replace: 'OLD.revision' },
      { find: "WHEN 'INSERT' THEN microseconds", replace: "WHEN 'INSERT' THEN NEW.revision" },
      { find: '* 1000000;', replace: '* 1000;' },
      {
        find: 'SELECT dataset_id FROM old_rows UNION SELECT dataset_id FROM new_rows',
        replace: 'SELECT dataset_id FROM new_rows',
      },
      {
        find: 'SELECT dataset_id FROM old_rows UNION SELECT dataset_id FROM new_rows',
        replace: 'SELECT dataset_id FROM old_rows',
      },
      {
        find: 'SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows',
        replace: 'SELECT item_id FROM new_rows',
      },
      {
        find: 'SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows',
        replace: 'SELECT item_id FROM old_rows',
      },
      { find: 'ids := ARRAY(SELECT DISTINCT dataset_id FROM new_rows)', replace: "ids := '{}'" },
      { find: 'item_ids := ARRAY(SELECT DISTINCT item_id FROM old_rows)', replace: "item_ids := '{}'" },
      {
        find: 'SELECT DISTINCT dataset_id FROM items WHERE id = ANY (item_ids)',
        replace: 'SELECT DISTINCT dataset_id FROM items',
      },
      {
        find: "PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));\n  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  RETURN",
        replace:
          "PERFORM restart_logs(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  RETURN",
      },
      {
        find: "PERFORM pg_notify('catalog', 'everything');\n  RETURN",
        replace: 'RETURN',
        equivalent:
          'the triggers of the datasets say the same of each one, and only datasets are read from these tables',
      },
      { find: 'BEFORE INSERT OR UPDATE ON datasets', replace: 'BEFORE INSERT ON datasets' },
      { find: 'BEFORE INSERT OR UPDATE ON datasets', replace: 'BEFORE UPDATE ON datasets' },
    ],
  },
  {
    file: MIGRATION,
    tests: COUNTS,
    mutants: [
      { find: 'DELETE FROM tile_counts;\n  DELETE', replace: 'DELETE' },
      { find: 'DELETE FROM tile_category_counts;\n  RETURN', replace: 'RETURN' },
      { find: 'DELETE FROM tile_counts;\n  INSERT', replace: 'INSERT' },
      { find: 'DELETE FROM tile_category_counts;\n  INSERT', replace: 'INSERT' },
      { find: "'SELECT -1 AS sign, dataset_id", replace: "'SELECT 1 AS sign, dataset_id" },
      {
        find: 'GROUP BY 1, 2, 3 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0',
        replace: 'GROUP BY 1, 2, 3 HAVING sum(sign) <> 0',
      },
      {
        find: 'GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0',
        replace: 'GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0',
      },
      { find: 'even_bits(tile_cell >> 1)::integer AS y', replace: 'even_bits(tile_cell)::integer AS y' },
      { find: "sum_y = kept.sum_y + excluded.sum_y';", replace: "sum_y = kept.sum_y';" },
      { find: 'sum_y = kept.sum_y + excluded.sum_y\n    )', replace: 'sum_y = kept.sum_y\n    )' },
      {
        find: 'DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);',
        replace: '',
      },
      {
        find: 'DELETE FROM tile_category_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);',
        replace: '',
      },
    ],
  },
  {
    file: MIGRATION,
    tests: COUNTS,
    mutants: [
      {
        find: "PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));\n  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  DELETE",
        replace:
          "PERFORM restart_logs(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  DELETE",
        tests: CHANGES,
      },
      { find: 'DELETE FROM item_counts;\n  RETURN', replace: 'RETURN' },
      { find: 'PERFORM recount_tiles();', replace: '' },
      {
        find: "among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3;",
        replace: "among IN ('all') OR grouping(administrative_area_code, category_code) = 3;",
      },
      { find: "'SELECT -1 AS sign, '", replace: "'SELECT 1 AS sign, '" },
      {
        find: "    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END",
        replace: "    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added END",
      },
      {
        find: "    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END",
        replace:
          "    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ' || removed END",
      },
      {
        find: 'AS change GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0',
        replace: 'AS change GROUP BY 1, 2, 3, 4 HAVING sum(sign) > 0',
      },
      {
        find: '       GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)',
        replace: '       GROUP BY dataset_id, among, ROLLUP (administrative_area_code, category_code)',
      },
      { find: "      HAVING among IN ('all', 'roots') OR", replace: "      HAVING among IN ('all') OR" },
      {
        find: 'grouping(administrative_area_code, category_code) = 3\n',
        replace: 'grouping(administrative_area_code, category_code) = 2\n',
      },
      { find: 'FROM counted WHERE sign <> 0', replace: 'FROM counted WHERE sign > 0' },
      {
        find: '(dataset_id, list) DO UPDATE SET n = current.n + excluded.n',
        replace: '(dataset_id, list) DO UPDATE SET n = excluded.n',
      },
      {
        find: '(dataset_id, list) DO UPDATE SET n = current.n + excluded.n',
        replace: '(dataset_id, list) DO UPDATE SET n = current.n - excluded.n',
      },
      { find: 'DELETE FROM item_counts WHERE n = 0 AND dataset_id = ANY (ids);', replace: '' },
    ],
  },
  {
    file: 'src/import/merge.ts',
    tests: ['test/import/merge-fields.test.ts', 'test/import/merge.test.ts'],
    mutants: [
      { find: 'AND (${columnList(COLUMNS, sql`d`)}', replace: 'AND (${columnList(COLUMNS, sql`n`)}' },
      { find: 'd.updated_at) IS DISTINCT', replace: 'n.updated_at) IS DISTINCT' },
      {
        find: "updated_at) = ROW(${columnList(COLUMNS, sql`n`)}, coalesce(($2::jsonb ->> 'updated_at')::timestamptz, $3))",
        replace: 'updated_at) = ROW(${columnList(COLUMNS, sql`n`)}, n.updated_at)',
      },
      { find: 'jsonb_populate_record(old, $2)', replace: 'jsonb_populate_record(NULL::datasets, $2)' },
      { find: 'i.extra_attributes::text <> s.extra_attributes::text', replace: 'false' },
      {
        find: 'i.created_at, i.updated_at) IS DISTINCT FROM',
        replace: 'i.created_at, coalesce(s.updated_at, i.updated_at)) IS DISTINCT FROM',
      },
      {
        find: 'i.created_at, i.updated_at) IS DISTINCT FROM',
        replace: 'coalesce(s.created_at, i.created_at), i.updated_at) IS DISTINCT FROM',
      },
      { find: ' <> s.images', replace: ' IS NULL' },
      { find: 's.id = i.id) AND ${isRemoved}`', replace: 's.id = i.id)`' },
      {
        find: 'i.id = s.id AND i.dataset_id = $1',
        replace: 'i.id = s.id',
        tests: ['test/history/history.test.ts'],
      },
      { find: "c.change = 'removed' AND i.id = c.id`", replace: 'false`' },
      {
        find: 'coalesce(s.created_at, i.created_at), coalesce(s.updated_at, $1::timestamptz)',
        replace: 'coalesce(s.created_at, i.created_at), coalesce(s.updated_at, i.updated_at)',
      },
      { find: 's.images) AS image`', replace: "s.images) AS image WHERE c.change = 'created'`" },
      { find: 'SET updated_at = $2 WHERE', replace: 'SET updated_at = updated_at WHERE' },
      { find: 'SET CONSTRAINTS ALL DEFERRED', replace: 'SELECT 1' },
    ],
  },
  {
    file: 'src/import/import.ts',
    tests: ['test/import/last-import.test.ts'],
    mutants: [
      { find: 'bad.length + ', replace: '' },
      { find: 'problems.count + ', replace: '' },
      { find: ' + problems.warnings', replace: '' },
    ],
  },
  {
    file: 'src/import/undo.ts',
    tests: ['test/history/history.test.ts'],
    mutants: [
      { find: 'IS DISTINCT FROM a.hash', replace: 'IS NULL' },
      { find: ' AND i.dataset_id = $1\n      WHERE', replace: '\n      WHERE' },
      { find: '(current?.revision ?? null) === revision', replace: 'current !== undefined' },
    ],
  },
]
