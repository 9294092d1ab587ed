-- How many names have a part of one or two characters, and how many begin with it: most items of a large dataset have a frequent
-- letter in their names, and counting them takes long.

-- The same function as before, and the first character and the first two characters after a space: nobody searches for white space.
CREATE OR REPLACE FUNCTION name_grams(folded_name text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  grams    text[] := ARRAY[' ' || left(folded_name, 1), ' ' || left(folded_name, 2)];
  previous text := ' ';
  current  text;
BEGIN
  FOREACH current IN ARRAY string_to_array(folded_name, NULL) LOOP
    IF current <> ' ' THEN
      grams := grams || current;
      IF previous <> ' ' THEN grams := grams || (previous || current); END IF;
    END IF;
    previous := current;
  END LOOP;
  RETURN grams;
END $$;
REINDEX INDEX items_name_grams_idx;

CREATE TABLE name_counts (
  dataset_id uuid NOT NULL,
  gram       text COLLATE "C" NOT NULL,
  n          integer NOT NULL,

  PRIMARY KEY (dataset_id, gram)
);
CREATE INDEX name_counts_none_left ON name_counts (dataset_id) WHERE n = 0;

-- Adds the new names (sign 1) and subtracts the old names (sign -1). The trigger that runs first locks their datasets, so no other
-- transaction changes the same counts.
CREATE FUNCTION count_names() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, folded_name FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, folded_name FROM old_rows';
  -- INSERT has no old_rows and DELETE has no new_rows, so the text of the statement depends on the operation.
  changes CONSTANT text :=
    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE format($sql$
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, folded_name, sum(sign) AS sign
        FROM (%s) AS change GROUP BY 1, 2 HAVING sum(sign) <> 0
    )
    INSERT INTO name_counts AS current (dataset_id, gram, n)
    SELECT dataset_id, gram, sum(sign)
      FROM changed CROSS JOIN LATERAL (SELECT DISTINCT unnest(name_grams(folded_name)) AS gram) AS part
     GROUP BY 1, 2 HAVING sum(sign) <> 0
        ON CONFLICT (dataset_id, gram) DO UPDATE SET n = current.n + excluded.n
  $sql$, changes);
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM name_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $function$;
CREATE TRIGGER items_4_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_names();
CREATE TRIGGER items_4_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_names();
CREATE TRIGGER items_4_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_names();

CREATE FUNCTION count_no_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE name_counts;
  RETURN NULL;
END $$;
CREATE TRIGGER items_4_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION count_no_names();

-- Counts the names of the existing items.
CREATE FUNCTION recount_names() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE name_counts;
  INSERT INTO name_counts (dataset_id, gram, n)
  SELECT dataset_id, gram, count(*)
    FROM items CROSS JOIN LATERAL (SELECT DISTINCT unnest(name_grams(folded_name)) AS gram) AS part
   GROUP BY 1, 2;
END $$;
SELECT recount_names();

-- The same function as before, for one more table.
CREATE OR REPLACE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE item_counts, cube_counts;
  INSERT INTO item_counts (dataset_id, list, n)
  SELECT dataset_id, list_name(among, administrative_area_code, category_code), count(*)
    FROM items
   CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
   GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
  HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3;
  INSERT INTO cube_counts (level, cube, dataset_id, n)
  SELECT level, cube >> 9 * level, dataset_id, count(*)
    FROM items CROSS JOIN generate_series(0, 3) AS level GROUP BY 1, 2, 3;
  PERFORM recount_tiles();
  PERFORM recount_names();
END $$;

-- CREATE OR REPLACE drops the search_path that an earlier migration set.
DO $$
DECLARE
  name regprocedure;
BEGIN
  FOREACH name IN ARRAY ARRAY['count_names()', 'count_no_names()', 'recount_names()', 'recount_items()']::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
  END LOOP;
END $$;

COMMENT ON TABLE name_counts IS
  'Number of items of each dataset whose folded names have a gram, as name_grams() gives it. Triggers on items maintain it.';
COMMENT ON FUNCTION name_grams(text) IS
  'The characters of a folded name and its pairs of adjacent characters, without white space; after a space, its beginning.';
COMMENT ON FUNCTION count_names() IS 'Trigger function: updates name_counts after a change to items.';
COMMENT ON FUNCTION count_no_names() IS 'Trigger function: empties name_counts after TRUNCATE items.';
COMMENT ON FUNCTION recount_names() IS 'Counts the names of all items again. recount_items() calls it.';
COMMENT ON FUNCTION recount_items() IS
  'Counts all items again. Run it after a change to items that was made with triggers disabled. Writers wait meanwhile.';
