-- Tiles of a category, and shares of categories, of low zooms are counted on write, as those of all items are.

-- The items of each category in each tile of the zooms 5 and 9, as in tile_counts. No finer zooms: an item adds at most two rows, also where
-- each item has a category of its own.
CREATE TABLE tile_category_counts (
  dataset_id    uuid NOT NULL,
  level         smallint NOT NULL,
  cell          bigint NOT NULL,
  category_code text NOT NULL,
  n             integer NOT NULL,
  sum_x         bigint NOT NULL,
  sum_y         bigint NOT NULL,

  PRIMARY KEY (dataset_id, level, cell, category_code)
);
-- The trigger deletes the counts of 0.
CREATE INDEX tile_category_counts_none_left ON tile_category_counts (dataset_id) WHERE n = 0;

-- The inverse of even_bits(): puts a zero before each bit. The cell of column x and row y is spread_bits(x) | (spread_bits(y) << 1).
CREATE OR REPLACE FUNCTION spread_bits(number bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  number := (number | (number << 16)) & x'0000ffff0000ffff'::bigint;
  number := (number | (number << 8)) & x'00ff00ff00ff00ff'::bigint;
  number := (number | (number << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  number := (number | (number << 2)) & x'3333333333333333'::bigint;
  RETURN (number | (number << 1)) & x'5555555555555555'::bigint;
END $$;

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in the tiles of all four zooms, and of two zooms for each category. The
-- sums of integers, which x and y are, take a third of the time of those of bigint.
CREATE OR REPLACE FUNCTION count_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, category_code, tile_cell FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, category_code, tile_cell FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE '
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, category_code, tile_cell, sign,
             sign * even_bits(tile_cell)::integer AS x, sign * even_bits(tile_cell >> 1)::integer AS y
        FROM (' || changed || ') AS changed
    ), by_category AS (
      INSERT INTO tile_category_counts AS kept (dataset_id, level, cell, category_code, n, sum_x, sum_y)
      SELECT dataset_id, level, tile_cell >> 60 - 2 * level, category_code, sum(sign), sum(x), sum(y)
        FROM changed CROSS JOIN unnest(ARRAY[5, 9]) AS level
       GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
       ORDER BY 1, 2, 3, 4
          ON CONFLICT (dataset_id, level, cell, category_code) DO UPDATE
         SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y
    )
    INSERT INTO tile_counts AS kept (dataset_id, level, cell, n, sum_x, sum_y)
    SELECT dataset_id, level, tile_cell >> 60 - 2 * level, sum(sign), sum(x), sum(y)
      FROM changed CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
     ORDER BY 1, 2, 3
        ON CONFLICT (dataset_id, level, cell) DO UPDATE
       SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y';
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
    DELETE FROM tile_category_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_tiles() IS 'Trigger function: updates tile_counts and tile_category_counts after a change to items.';

-- As count_no_items(), for the tiles.
CREATE OR REPLACE FUNCTION count_no_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM tile_counts;
  DELETE FROM tile_category_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_tiles() IS 'Trigger function: empties tile_counts and tile_category_counts after TRUNCATE items.';

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

LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO tile_category_counts (dataset_id, level, cell, category_code, n, sum_x, sum_y)
SELECT dataset_id, level, tile_cell >> 60 - 2 * level, category_code, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
  FROM items CROSS JOIN unnest(ARRAY[5, 9]) AS level
 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
