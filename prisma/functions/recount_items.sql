-- For an operator who changed items with triggers disabled. It moves all revisions, because cached responses and totals may have been
-- made from wrong counts.
CREATE OR REPLACE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));
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
