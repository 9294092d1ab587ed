-- As count_no_items(), for the tiles.
CREATE OR REPLACE FUNCTION count_no_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM tile_counts;
  DELETE FROM tile_category_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_tiles() IS 'Trigger function: empties tile_counts and tile_category_counts after TRUNCATE items.';
