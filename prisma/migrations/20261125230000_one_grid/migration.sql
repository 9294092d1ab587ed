-- Nearby searches add up the counts of map tiles, and read the items at the edge of a circle by the index on tile_cell. So nothing counts
-- cubes any more. The column items.cube stays, because 1.x keeps the columns of items (docs/stability.md).

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in all lists that contain the item. Counts of 0 are deleted.
CREATE OR REPLACE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  columns CONSTANT text := 'dataset_id, parent_item_id, administrative_area_code, category_code';
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
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_items() IS 'Trigger function: updates item_counts after a change to items.';

-- TRUNCATE shows no rows to a trigger. DELETE and not TRUNCATE, because a reader of an older state must still see the counts of that
-- state, and must not wait.
CREATE OR REPLACE FUNCTION count_no_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM item_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_items() IS 'Trigger function: empties item_counts after TRUNCATE items.';

-- For an operator who changed items with triggers disabled. It moves all revisions, because cached responses and totals may have been
-- made from wrong counts.
CREATE OR REPLACE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  DELETE FROM item_counts;
  INSERT INTO item_counts (dataset_id, list, n)
  SELECT dataset_id, list_name(among, administrative_area_code, category_code), count(*)
    FROM items
   CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
   GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
  HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3;
  PERFORM recount_tiles();
END $$;
COMMENT ON FUNCTION recount_items() IS
  'Counts all items again and moves all revisions, after a change with triggers disabled. Writers wait meanwhile.';

COMMENT ON COLUMN items.cube IS 'Cube of 128 metres, as cube_of() computes it. The catalog does not read it.';

DROP TABLE cube_counts;
DROP INDEX items_dataset_id_cube_idx;
