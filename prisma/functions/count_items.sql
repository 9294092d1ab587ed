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
