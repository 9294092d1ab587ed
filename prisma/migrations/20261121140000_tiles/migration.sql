-- Map tiles: where each item lies in the Web Mercator square, and how many items each tile has, so that a tile with many items
-- reads counts and not the items.

-- The cell of a point: the square of Web Mercator (EPSG:3857), 2^30 cells wide and high, with x eastwards from 180° west and y
-- southwards from 85.0511° north. The bits of x and y alternate (Morton order), so the cells of a tile are one range of numbers:
-- the first 2z bits are the tile's x and y at zoom z. Longitude 180 is -180. Latitudes beyond the square are in its edge cells.
CREATE FUNCTION tile_cell_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  size CONSTANT bigint := 1073741824;
  s    CONSTANT float8 := sin(radians(least(greatest(latitude, -85.06), 85.06)::float8));
  x    bigint := floor((longitude::float8 + 180) / 360 * size);
  y    bigint := floor((0.5 - ln((1 + s) / (1 - s)) / (4 * pi())) * size);
BEGIN
  x := x & (size - 1);
  y := least(greatest(y, 0), size - 1);
  -- Puts a zero before each bit. These operators have no precedence among each other.
  x := (x | (x << 16)) & x'0000ffff0000ffff'::bigint;
  y := (y | (y << 16)) & x'0000ffff0000ffff'::bigint;
  x := (x | (x << 8)) & x'00ff00ff00ff00ff'::bigint;
  y := (y | (y << 8)) & x'00ff00ff00ff00ff'::bigint;
  x := (x | (x << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  y := (y | (y << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  x := (x | (x << 2)) & x'3333333333333333'::bigint;
  y := (y | (y << 2)) & x'3333333333333333'::bigint;
  x := (x | (x << 1)) & x'5555555555555555'::bigint;
  y := (y | (y << 1)) & x'5555555555555555'::bigint;
  RETURN x | (y << 1);
END $$;

-- The x of a cell; the y is even_bits(cell >> 1).
CREATE FUNCTION even_bits(cell bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  cell := cell & x'5555555555555555'::bigint;
  cell := (cell | (cell >> 1)) & x'3333333333333333'::bigint;
  cell := (cell | (cell >> 2)) & x'0f0f0f0f0f0f0f0f'::bigint;
  cell := (cell | (cell >> 4)) & x'00ff00ff00ff00ff'::bigint;
  cell := (cell | (cell >> 8)) & x'0000ffff0000ffff'::bigint;
  RETURN (cell | (cell >> 16)) & x'00000000ffffffff'::bigint;
END $$;

ALTER TABLE items ADD COLUMN tile_cell bigint NOT NULL GENERATED ALWAYS AS (tile_cell_of(latitude, longitude)) STORED;
CREATE INDEX items_dataset_id_tile_cell_idx ON items (dataset_id, tile_cell);

-- The items in each tile of the zooms 5, 9, 13 and 17: how many, and the sums of their cells' x and y. The cell is the tile's
-- number in Morton order: the first 2 * level bits of its items' cells.
CREATE TABLE tile_counts (
  dataset_id uuid NOT NULL,
  level      smallint NOT NULL,
  cell       bigint NOT NULL,
  n          integer NOT NULL,
  sum_x      bigint NOT NULL,
  sum_y      bigint NOT NULL,

  PRIMARY KEY (dataset_id, level, cell)
);
CREATE INDEX tile_counts_none_left ON tile_counts (dataset_id) WHERE n = 0;

-- Adds the changed items (sign 1) and subtracts their former state (sign -1). The first trigger has locked their datasets, so no
-- other transaction counts the same items.
CREATE FUNCTION count_tiles() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, tile_cell FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, tile_cell FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE '
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, tile_cell, sum(sign) AS n,
             sum(sign) * even_bits(tile_cell) AS x, sum(sign) * even_bits(tile_cell >> 1) AS y
        FROM (' || changed || ') AS changed GROUP BY dataset_id, tile_cell HAVING sum(sign) <> 0
    )
    INSERT INTO tile_counts AS kept (dataset_id, level, cell, n, sum_x, sum_y)
    SELECT dataset_id, level, tile_cell >> 60 - 2 * level, sum(n), sum(x), sum(y)
      FROM changed CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
     GROUP BY 1, 2, 3 HAVING sum(n) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
     ORDER BY 1, 2, 3
        ON CONFLICT (dataset_id, level, cell) DO UPDATE
       SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y';
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER items_3_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();
CREATE TRIGGER items_3_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();
CREATE TRIGGER items_3_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();

CREATE FUNCTION count_no_tiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE tile_counts;
  RETURN NULL;
END $$;
CREATE TRIGGER items_3_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION count_no_tiles();

-- Counts the existing items anew.
CREATE FUNCTION recount_tiles() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE tile_counts;
  INSERT INTO tile_counts (dataset_id, level, cell, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
END $$;
SELECT recount_tiles();

-- For an operator who had the triggers off: SELECT recount_items() repairs all counts.
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
END $$;
