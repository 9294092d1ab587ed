-- The lock makes writers wait, so that no change is missed.
CREATE OR REPLACE FUNCTION recount_tiles() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM tile_counts;
  INSERT INTO tile_counts (dataset_id, level, cell, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
  DELETE FROM tile_category_counts;
  INSERT INTO tile_category_counts (dataset_id, level, cell, category_code, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, category_code, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9]) AS level
   GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
END $$;
COMMENT ON FUNCTION recount_tiles() IS 'Counts the items of all tiles again. recount_items() calls it.';
