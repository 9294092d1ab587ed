-- How many items there are, kept by the transactions that change it: of each list that can be asked for, so that a total
-- costs nothing; and in each cube of space, so that a search near a point counts the cubes inside and not the points.

-- Lists: all items of a dataset and its root items, each also by area, by category and by both; and the children of an
-- item, which are few enough to be counted where a filter is put on them.
CREATE TABLE item_counts (
  dataset_id uuid NOT NULL,
  list       text COLLATE "C" NOT NULL,
  n          integer NOT NULL,

  PRIMARY KEY (dataset_id, list)
);
CREATE INDEX item_counts_none_left ON item_counts (dataset_id) WHERE n = 0;

-- The name of a list: 'all', 'roots' or 'children of UUID', then its filters; null stands for none. Who reads makes it too
-- (src/catalog/items.ts).
CREATE FUNCTION list_name(among text, area text, category text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN among || coalesce(' area ''' || replace(area, '''', '''''') || '''', '')
             || coalesce(' category ''' || replace(category, '''', '''''') || '''', '');

-- The cube of 128 metres that a point on the WGS 84 ellipsoid lies in, in earth-centred, earth-fixed coordinates: in space
-- there are neither poles nor an antimeridian. Its number begins with that of the cube of 1,024 metres around it, that with the
-- one of 8,192 metres, and that with the one of 65,536; each level has nine bits (src/catalog/cubes.ts reads them).
CREATE FUNCTION cube_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  phi    float8 := radians(latitude::float8);
  lambda float8 := radians(longitude::float8);
  e2     CONSTANT float8 := 0.0066943799901413165;
  normal float8 := 6378137 / sqrt(1 - e2 * sin(phi) ^ 2);
  x      bigint := floor((normal * cos(phi) * cos(lambda) + 8388608) / 128);
  y      bigint := floor((normal * cos(phi) * sin(lambda) + 8388608) / 128);
  z      bigint := floor((normal * (1 - e2) * sin(phi) + 8388608) / 128);
BEGIN
  -- These operators have no precedence among each other.
  RETURN (((x >> 9) << 43) | ((y >> 9) << 35) | ((z >> 9) << 27))
       | ((((x >> 6) & 7) << 24) | (((y >> 6) & 7) << 21) | (((z >> 6) & 7) << 18))
       | ((((x >> 3) & 7) << 15) | (((y >> 3) & 7) << 12) | (((z >> 3) & 7) << 9))
       | (((x & 7) << 6) | ((y & 7) << 3) | (z & 7));
END $$;

ALTER TABLE items ADD COLUMN cube bigint NOT NULL GENERATED ALWAYS AS (cube_of(latitude, longitude)) STORED;
CREATE INDEX items_dataset_id_cube_idx ON items (dataset_id, cube);

-- Level 0 has cubes of 128 metres, level 1 of 1,024, level 2 of 8,192, level 3 of 65,536.
CREATE TABLE cube_counts (
  level      smallint NOT NULL,
  cube       bigint NOT NULL,
  dataset_id uuid NOT NULL,
  n          integer NOT NULL,

  PRIMARY KEY (level, cube, dataset_id)
);
CREATE INDEX cube_counts_none_left ON cube_counts (dataset_id) WHERE n = 0;

-- Adds the changed items (sign 1) and takes away what they were (sign -1). The trigger before this one has locked their
-- datasets, so nobody else counts the same.
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  columns CONSTANT text := 'dataset_id, parent_item_id, administrative_area_code, category_code, cube';
  added   CONSTANT text := 'SELECT 1 AS sign, ' || columns || ' FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, ' || columns || ' FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
  ids     uuid[];
BEGIN
  EXECUTE 'SELECT array_agg(DISTINCT dataset_id) FROM (' || changed || ') AS changed' INTO ids;
  IF ids IS NULL THEN RETURN NULL; END IF;

  EXECUTE '
    WITH changed AS (
      SELECT dataset_id, parent_item_id, administrative_area_code, category_code, sum(sign) AS sign
        FROM (' || changed || ') AS changed GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0
    ), counted AS (
      SELECT dataset_id, list_name(among, administrative_area_code, category_code) AS list, sum(sign) AS sign
        FROM changed
       CROSS JOIN LATERAL (
              VALUES (''all''), (coalesce(''children of '' || parent_item_id, ''roots''))
            ) AS list (among)
       GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
      HAVING among IN (''all'', ''roots'') OR grouping(administrative_area_code, category_code) = 3
    )
    INSERT INTO item_counts AS kept (dataset_id, list, n)
    SELECT dataset_id, list, sign FROM counted WHERE sign <> 0
        ON CONFLICT (dataset_id, list) DO UPDATE SET n = kept.n + excluded.n';
  DELETE FROM item_counts WHERE n = 0 AND dataset_id = ANY (ids);

  EXECUTE '
    WITH changed AS (
      SELECT dataset_id, cube, sum(sign) AS sign
        FROM (' || changed || ') AS changed GROUP BY 1, 2 HAVING sum(sign) <> 0
    )
    INSERT INTO cube_counts AS kept (level, cube, dataset_id, n)
    SELECT level, cube >> 9 * level, dataset_id, sum(sign)
      FROM changed CROSS JOIN generate_series(0, 3) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
        ON CONFLICT (level, cube, dataset_id) DO UPDATE SET n = kept.n + excluded.n';
  DELETE FROM cube_counts WHERE n = 0 AND dataset_id = ANY (ids);
  RETURN NULL;
END $$;
CREATE TRIGGER items_2_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_2_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_2_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE FUNCTION count_no_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE item_counts, cube_counts;
  RETURN NULL;
END $$;
CREATE TRIGGER items_2_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION count_no_items();

-- Counts what is there already. Also for an operator who had the triggers off: SELECT recount_items().
CREATE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
SELECT recount_items();
