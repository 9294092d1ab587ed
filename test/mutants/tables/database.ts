// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const BASELINE = 'prisma/migrations/20261125000000_catalog/migration.sql'
const FASTER_FUNCTIONS = 'prisma/migrations/20261126000000_faster_functions/migration.sql'
const ONE_GRID = 'prisma/migrations/20261125230000_one_grid/migration.sql'
const CHANGES = ['test/database/notifications.test.ts']
const CONSTRAINTS = ['test/database/constraints.test.ts']
const COUNTS = ['test/catalog/counts-by-hand.test.ts', 'test/catalog/counts.test.ts']

/** The triggers, functions and constraints of the database, and the merge of an import. */
export const DATABASE: readonly MutantTable[] = [
  {
    file: BASELINE,
    tests: CONSTRAINTS,
    mutants: [
      { find: 'latitude BETWEEN -90 AND 90', replace: 'latitude BETWEEN -90 AND 91' },
      { find: 'longitude BETWEEN -180 AND 180', replace: 'longitude BETWEEN -181 AND 180' },
      { find: '(parent_item_id <> id)', replace: '(parent_item_id IS NOT NULL OR true)' },
      {
        find: 'FOREIGN KEY (dataset_id, parent_item_id) REFERENCES items (dataset_id, id) DEFERRABLE',
        replace: 'FOREIGN KEY (parent_item_id) REFERENCES items (id) DEFERRABLE',
      },
      { find: 'ON images (item_id) WHERE is_primary', replace: 'ON images (item_id, id) WHERE is_primary' },
      { find: '(sort_order >= 0)', replace: '(sort_order >= -1)' },
      { find: '[0-9a-f]{12}$', replace: '[0-9a-f]{11}$' },
      { find: 'slug !~*', replace: 'slug !~', tests: ['test/catalog/letter-case.test.ts'] },
      {
        find: 'api_keys_hash_is_sha256 CHECK (octet_length(hash) = 32)',
        replace: 'api_keys_hash_is_sha256 CHECK (octet_length(hash) > 0)',
      },
      { find: 'CREATE UNIQUE INDEX datasets_slug_key', replace: 'CREATE INDEX datasets_slug_key' },
      {
        find: 'slug             text COLLATE "C"',
        replace: 'slug             text',
        equivalent: 'no statement compares the order of slugs',
      },
      {
        find: 'name                     text COLLATE "C"',
        replace: 'name                     text COLLATE "und-x-icu"',
        tests: ['test/rest/contract.test.ts'],
      },
    ],
  },
  {
    file: BASELINE,
    tests: CHANGES,
    mutants: [
      {
        find: 'CREATE TRIGGER images_1_insert AFTER INSERT ON images REFERENCING NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER images_1_update AFTER UPDATE ON images REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER images_1_delete AFTER DELETE ON images REFERENCING OLD TABLE AS old_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER items_1_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER items_1_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER items_1_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      { find: "'dataset ' || coalesce(NEW.id, OLD.id)", replace: "'dataset ' || coalesce(OLD.id, NEW.id)" },
      { find: "IF NEW.id <> OLD.id THEN PERFORM pg_notify('catalog', 'dataset ' || OLD.id); END IF;", replace: '' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON datasets', replace: 'AFTER INSERT OR UPDATE ON datasets' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON datasets', replace: 'AFTER UPDATE OR DELETE ON datasets' },
      { find: 'UPDATE datasets SET revision = revision WHERE id = ANY (ids);', replace: '' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON api_keys', replace: 'AFTER INSERT OR UPDATE ON api_keys' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON api_keys', replace: 'AFTER INSERT OR DELETE ON api_keys' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER UPDATE OR DELETE ON grants' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER INSERT OR DELETE ON grants' },
      { find: 'AFTER INSERT OR UPDATE OR DELETE ON grants', replace: 'AFTER INSERT OR UPDATE ON grants' },
      {
        find: 'CREATE TRIGGER items_1_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();',
        replace: '',
        equivalent: 'TRUNCATE of items needs CASCADE, and so the trigger of images does the same',
      },
      {
        find: 'CREATE TRIGGER images_1_truncate AFTER TRUNCATE ON images FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER api_keys_truncate AFTER TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();',
        replace: '',
        equivalent: 'TRUNCATE of keys needs CASCADE, and so the trigger of grants does the same',
      },
      {
        find: 'CREATE TRIGGER grants_truncate AFTER TRUNCATE ON grants FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();',
        replace: '',
      },
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
      {
        find: 'CREATE TRIGGER retired_secrets_truncate AFTER TRUNCATE ON retired_secrets\n  FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER code_labels_insert AFTER INSERT ON code_labels REFERENCING NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER code_labels_update AFTER UPDATE ON code_labels REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER code_labels_delete AFTER DELETE ON code_labels REFERENCING OLD TABLE AS old_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();',
        replace: '',
      },
      {
        find: 'CREATE TRIGGER code_labels_truncate AFTER TRUNCATE ON code_labels\n  FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();',
        replace: '',
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
        find: "PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  RETURN",
        replace: "PERFORM pg_notify('catalog', 'everything');\n  RETURN",
      },
      {
        find: "PERFORM pg_notify('catalog', 'everything');\n  RETURN",
        replace: 'RETURN',
        equivalent:
          'the triggers of the datasets say the same of each one, and only datasets are read from these tables',
      },
      { find: 'BEFORE INSERT OR UPDATE ON datasets', replace: 'BEFORE INSERT ON datasets' },
      { find: 'BEFORE INSERT OR UPDATE ON datasets', replace: 'BEFORE UPDATE ON datasets' },
      { find: 'DELETE FROM tile_counts;\n  RETURN', replace: 'RETURN', tests: COUNTS },
      { find: 'sum(even_bits(tile_cell >> 1))', replace: 'sum(even_bits(tile_cell))', tests: COUNTS },
      { find: 'DELETE FROM tile_counts;\n  INSERT', replace: 'INSERT', tests: COUNTS },
      {
        find: 'touch_everything() RETURNS trigger LANGUAGE plpgsql\n  SET search_path = pg_catalog, public, pg_temp',
        replace: 'touch_everything() RETURNS trigger LANGUAGE plpgsql',
        tests: ['test/database/search-path.test.ts'],
      },
    ],
  },
  {
    file: BASELINE,
    tests: COUNTS,
    mutants: [
      { find: "replace(area, '''', '''''')", replace: 'area', tests: ['test/catalog/totals.test.ts'] },
      { find: "replace(category, '''', '''''')", replace: 'category', tests: ['test/catalog/totals.test.ts'] },
      {
        find: 'touch_datasets(ids uuid[]) RETURNS void LANGUAGE plpgsql\n  SET search_path = pg_catalog, public, pg_temp',
        replace: 'touch_datasets(ids uuid[]) RETURNS void LANGUAGE plpgsql',
        tests: ['test/database/search-path.test.ts'],
        equivalent: 'its callers have this search_path already',
      },
      { find: 'x := x & (size - 1);', replace: '', tests: ['test/catalog/tile-cells.test.ts'] },
      { find: 'y := least(greatest(y, 0), size - 1);', replace: '', tests: ['test/catalog/tile-cells.test.ts'] },
      { find: 'RETURN x | (y << 1);', replace: 'RETURN (x << 1) | y;', tests: ['test/catalog/tile-cells.test.ts'] },
      { find: '(y | (y << 4)) & ', replace: '(y | (y << 3)) & ', tests: ['test/catalog/tile-cells.test.ts'] },
      {
        find: '(cell | (cell >> 2)) & ',
        replace: '(cell | (cell >> 1)) & ',
        tests: ['test/catalog/tile-cells.test.ts'],
      },
      { find: 'ln((1 + s) / (1 - s))', replace: 'ln((1 - s) / (1 + s))', tests: ['test/catalog/tile-cells.test.ts'] },
    ],
  },
  {
    file: 'prisma/migrations/20261127130000_fold_letters/migration.sql',
    tests: ['test/database/functions.test.ts'],
    mutants: [
      { find: 'IF found = 0 THEN RETURN; END IF;', replace: '' },
      {
        find: '\n   WHERE folded_name <> fold_name(name) OR folded_keywords <> fold_keywords(keywords);',
        replace: ';',
      },
      { find: 'SET name = name, keywords = keywords', replace: 'SET keywords = keywords' },
      { find: "E'\\\\1', 'g')", replace: "'\\1', 'g')" },
      { find: "{4}-[0-9]{2}-[0-9]{2}$')", replace: "{4}-\\d{2}-[0-9]{2}$')" },
    ],
  },
  {
    file: FASTER_FUNCTIONS,
    tests: COUNTS,
    mutants: [
      { find: "'SELECT -1 AS sign, dataset_id", replace: "'SELECT 1 AS sign, dataset_id" },
      { find: 'HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0', replace: 'HAVING sum(sign) <> 0' },
      { find: 'sum_x = kept.sum_x + excluded.sum_x', replace: 'sum_x = excluded.sum_x' },
      { find: 'sum_y = kept.sum_y + excluded.sum_y', replace: 'sum_y = kept.sum_y' },
      { find: 'even_bits(tile_cell >> 1)::integer AS y', replace: 'even_bits(tile_cell)::integer AS y' },
      { find: 'SET n = kept.n + excluded.n', replace: 'SET n = kept.n' },
      {
        find: 'DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);',
        replace: '',
      },
      { find: 'second <> 32 OR third <> 32', replace: 'third <> 32', tests: ['test/catalog/suggest.test.ts'] },
      {
        find: "grams := grams || ('=' || left(btrim(keyword, ' '), 50));",
        replace: '',
        tests: ['test/catalog/suggest.test.ts'],
      },
    ],
  },
  {
    file: FASTER_FUNCTIONS,
    tests: ['test/catalog/search-edges.test.ts', 'test/catalog/search.test.ts'],
    mutants: [
      { find: "translate(fold_name(keyword), E'\\n', ' ')", replace: 'fold_name(keyword)' },
      { find: 'string_agg(translate(fold_name(keyword)', replace: 'string_agg(translate(lower(keyword)' },
      { find: "SELECT E'\\n' ||", replace: 'SELECT' },
    ],
  },
  {
    file: ONE_GRID,
    tests: COUNTS,
    mutants: [
      {
        find: "PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));\n  PERFORM pg_notify('catalog', 'everything');\n  DELETE",
        replace: "PERFORM pg_notify('catalog', 'everything');\n  DELETE",
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
      { find: 'GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0', replace: 'GROUP BY 1, 2, 3, 4 HAVING sum(sign) > 0' },
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
      {
        find: 'count_items() RETURNS trigger LANGUAGE plpgsql\n  SET search_path = pg_catalog, public, pg_temp',
        replace: 'count_items() RETURNS trigger LANGUAGE plpgsql',
        tests: ['test/database/search-path.test.ts'],
      },
    ],
  },
  {
    file: BASELINE,
    tests: ['test/catalog/search-edges.test.ts', 'test/catalog/search.test.ts'],
    mutants: [
      { find: 'THEN lower(name COLLATE "C")', replace: 'THEN name' },
      { find: 'grams || (previous || current)', replace: 'grams || (current || previous)' },
      { find: 'grams := grams || current;', replace: '' },
      { find: "IF previous <> ' ' THEN", replace: "IF previous <> 'b' THEN" },
      { find: "    '\\1', 'g')", replace: "    '\\1')" },
      { find: 'normalize(name, NFKC)', replace: 'normalize(name, NFC)' },
    ],
  },
  {
    file: 'src/import/load/merge.ts',
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
    file: 'src/database/statistics.ts',
    tests: ['test/database/statistics.test.ts'],
    mutants: [
      { find: '50 + greatest(reltuples, 0) / 10', replace: '50 + greatest(reltuples, 0)' },
      { find: 'relpages * 1.1', replace: 'relpages * 100' },
      { find: 'SELECT pg_stat_force_next_flush()', replace: 'SELECT 1' },
    ],
  },
]
