-- Functions look up their tables in the schema of the catalog, whatever the search_path of the session is. Before this
-- migration, a session with another search_path or with a temporary table called `datasets` could change items without moving
-- the revision of their dataset.

-- The same function as before. Dollar quotes replace the doubled quotes.
-- It adds the new rows (sign 1) and subtracts the old rows (sign -1). The trigger that runs before it locks their datasets, so
-- no other transaction changes the same counts.
CREATE OR REPLACE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  columns CONSTANT text := 'dataset_id, parent_item_id, administrative_area_code, category_code, cube';
  added   CONSTANT text := 'SELECT 1 AS sign, ' || columns || ' FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, ' || columns || ' FROM old_rows';
  -- INSERT has no old_rows and DELETE has no new_rows, so the text of the statements depends on the operation.
  changes CONSTANT text :=
    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
  ids     uuid[];
BEGIN
  EXECUTE format($sql$ SELECT array_agg(DISTINCT dataset_id) FROM (%s) AS change $sql$, changes) INTO ids;
  IF ids IS NULL THEN RETURN NULL; END IF;

  EXECUTE format($sql$
    WITH changed AS (
      SELECT dataset_id, parent_item_id, administrative_area_code, category_code, sum(sign) AS sign
        FROM (%s) AS change GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0
    ), counted AS (
      SELECT dataset_id, list_name(among, administrative_area_code, category_code) AS list, sum(sign) AS sign
        FROM changed
       CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
       GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
      HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3
    )
    INSERT INTO item_counts AS current (dataset_id, list, n)
    SELECT dataset_id, list, sign FROM counted WHERE sign <> 0
        ON CONFLICT (dataset_id, list) DO UPDATE SET n = current.n + excluded.n
  $sql$, changes);
  DELETE FROM item_counts WHERE n = 0 AND dataset_id = ANY (ids);

  EXECUTE format($sql$
    WITH changed AS (
      SELECT dataset_id, cube, sum(sign) AS sign
        FROM (%s) AS change GROUP BY 1, 2 HAVING sum(sign) <> 0
    )
    INSERT INTO cube_counts AS current (level, cube, dataset_id, n)
    SELECT level, cube >> 9 * level, dataset_id, sum(sign)
      FROM changed CROSS JOIN generate_series(0, 3) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
        ON CONFLICT (level, cube, dataset_id) DO UPDATE SET n = current.n + excluded.n
  $sql$, changes);
  DELETE FROM cube_counts WHERE n = 0 AND dataset_id = ANY (ids);
  RETURN NULL;
END $function$;

-- pg_temp stands last, because PostgreSQL otherwise searches it first. The tables are in the schema of this session.
-- cube_of() and tile_cell_of() run for each row. They use nothing but built-in functions, and a search_path would cost cube_of()
-- 60 % more time.
DO $$
DECLARE
  name regprocedure;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'datasets_move_revision()', 'datasets_notify()', 'touch_datasets(uuid[])', 'items_touch_dataset()',
    'images_touch_dataset()', 'touch_everything()', 'keys_notify()', 'count_items()', 'count_no_items()',
    'recount_items()', 'count_tiles()', 'count_no_tiles()', 'recount_tiles()'
  ]::regprocedure[]
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
  END LOOP;
END $$;

-- What psql shows with \dt+ and \df+.
COMMENT ON TABLE item_counts IS 'Number of items in each list of a dataset. Triggers on items maintain it.';
COMMENT ON COLUMN item_counts.list IS 'Name of the list, as list_name() makes it.';
COMMENT ON TABLE cube_counts IS
  'Number of items of each dataset in each cell of the ECEF grid. Triggers on items maintain it.';
COMMENT ON COLUMN cube_counts.level IS '0, 1, 2 and 3: cells that are 128, 1,024, 8,192 and 65,536 metres wide.';
COMMENT ON TABLE key_uses IS 'Time of the last use of each API key. The gateways write it twice a minute.';
COMMENT ON COLUMN datasets.revision IS 'Increases with every change to the dataset, its items or their images.';
COMMENT ON COLUMN items.cube IS 'Cell of the ECEF grid, 128 metres wide, as cube_of() computes it.';
COMMENT ON FUNCTION list_name(text, text, text) IS
  'Name of a list in item_counts: all, roots or children of UUID, then the filters. src/catalog/sql/items.ts makes the same name.';
COMMENT ON FUNCTION cube_of(numeric, numeric) IS
  'Cell of the ECEF grid that contains a point on WGS 84. src/catalog/sql/ecef-grid.ts reads the number.';
COMMENT ON FUNCTION recount_items() IS
  'Counts all items again. Run it after a change to items that was made with triggers disabled. Writers wait meanwhile.';
COMMENT ON FUNCTION touch_datasets(uuid[]) IS
  'Locks datasets in the order of their ids, and moves their revisions. Triggers call it.';
COMMENT ON FUNCTION count_items() IS 'Trigger function: updates item_counts and cube_counts after a change to items.';
COMMENT ON FUNCTION count_no_items() IS 'Trigger function: empties item_counts and cube_counts after TRUNCATE items.';
COMMENT ON FUNCTION count_tiles() IS 'Trigger function: updates tile_counts after a change to items.';
COMMENT ON FUNCTION count_no_tiles() IS 'Trigger function: empties tile_counts after TRUNCATE items.';
COMMENT ON FUNCTION recount_tiles() IS 'Counts the items of all tiles again. recount_items() calls it.';
COMMENT ON FUNCTION datasets_move_revision() IS 'Trigger function: gives a changed dataset a new revision.';
COMMENT ON FUNCTION datasets_notify() IS 'Trigger function: sends "dataset UUID" on the channel catalog.';
COMMENT ON FUNCTION items_touch_dataset() IS 'Trigger function: moves the revisions of the datasets of changed items.';
COMMENT ON FUNCTION images_touch_dataset() IS 'Trigger function: moves the revisions of the datasets of changed images.';
COMMENT ON FUNCTION touch_everything() IS
  'Trigger function: moves all revisions and sends "everything" on the channel catalog after TRUNCATE.';
COMMENT ON FUNCTION keys_notify() IS
  'Trigger function: sends "key UUID" on the channel catalog after a change to an API key or a grant.';
