-- Writers take their locks in one order: the tables items, images and code_labels, then rows of datasets in the order of their ids.

-- One call of touch_datasets() for the old and the new datasets: two calls would lock a high id before a low one, and two opposite
-- moves would wait for each other. INSERT has no old_rows and DELETE has no new_rows.
CREATE OR REPLACE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM old_rows);
  ELSE ids := ARRAY(SELECT dataset_id FROM old_rows UNION SELECT dataset_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ids);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION images_touch_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item_ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM old_rows);
  ELSE item_ids := ARRAY(SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM items WHERE id = ANY (item_ids)));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION touch_everything() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  RETURN NULL;
END $$;

-- A removal locks the rows of its datasets before it removes their items. A TRUNCATE and recount_items() lock the items first.
CREATE FUNCTION lock_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE items, images, code_labels IN ROW EXCLUSIVE MODE;
  RETURN NULL;
END $$;
CREATE TRIGGER datasets_lock_items BEFORE DELETE ON datasets FOR EACH STATEMENT EXECUTE FUNCTION lock_items();

-- Readers must see the counts of the same state as the items. A TRUNCATE of the counts would empty them for transactions that
-- began before, and would wait for readers that wait for the items.
CREATE OR REPLACE FUNCTION count_no_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM item_counts;
  DELETE FROM cube_counts;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_no_tiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tile_counts;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION recount_tiles() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM tile_counts;
  INSERT INTO tile_counts (dataset_id, level, cell, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
END $$;

-- It moves all revisions, because cached responses and totals may have been made from the wrong counts.
CREATE OR REPLACE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql AS $$
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
  DELETE FROM cube_counts;
  INSERT INTO cube_counts (level, cube, dataset_id, n)
  SELECT level, cube >> 9 * level, dataset_id, count(*)
    FROM items CROSS JOIN generate_series(0, 3) AS level GROUP BY 1, 2, 3;
  PERFORM recount_tiles();
END $$;

-- A revision is the time of the change in microseconds since 1970, or one more than the last revision if the clock is behind. So the
-- revision of a dataset never goes back, and none returns after a restore, or after a failover that loses transactions. A sequence
-- would begin again there. An INSERT takes no revision from its statement: a copy of a dataset gets its own.
CREATE OR REPLACE FUNCTION datasets_move_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  microseconds CONSTANT bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
  NEW.revision := CASE TG_OP WHEN 'INSERT' THEN microseconds ELSE greatest(microseconds, OLD.revision + 1) END;
  RETURN NEW;
END $$;
DROP TRIGGER datasets_move_revision ON datasets;
CREATE TRIGGER datasets_move_revision BEFORE INSERT OR UPDATE ON datasets
  FOR EACH ROW EXECUTE FUNCTION datasets_move_revision();
ALTER TABLE datasets ALTER COLUMN revision SET DEFAULT 0;
DROP SEQUENCE catalog_revision;

-- The mark of the server that accepts writes: a random number that it gets after each start and after each promotion. Only
-- replicas of this server show it (src/database/log-position.ts).
CREATE TABLE primary_mark (
  is_only    boolean PRIMARY KEY DEFAULT true,
  started_at timestamptz(6) NOT NULL,
  timeline   integer NOT NULL,
  mark       uuid NOT NULL,

  CONSTRAINT primary_mark_has_one_row CHECK (is_only)
);

-- CREATE OR REPLACE drops the search_path that an earlier migration set.
DO $$
DECLARE
  name regprocedure;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'items_touch_dataset()', 'images_touch_dataset()', 'touch_everything()', 'lock_items()', 'count_no_items()',
    'count_no_tiles()', 'recount_items()', 'recount_tiles()', 'datasets_move_revision()'
  ]::regprocedure[]
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
  END LOOP;
END $$;

COMMENT ON TABLE primary_mark IS
  'The server that accepts writes. A gateway with replicas writes it after each start of the server.';
COMMENT ON COLUMN primary_mark.started_at IS 'Start of the server, as pg_postmaster_start_time() gives it.';
COMMENT ON COLUMN primary_mark.timeline IS 'Timeline of the server''s write-ahead log.';
COMMENT ON COLUMN primary_mark.mark IS 'Random number of this start of the server.';
COMMENT ON COLUMN datasets.revision IS
  'Time of the last change to the dataset, its items, their images or the labels, in microseconds since 1970.';
COMMENT ON FUNCTION lock_items() IS 'Trigger function: locks the tables that the removal of a dataset changes.';
COMMENT ON FUNCTION recount_items() IS
  'Counts all items again and moves all revisions, after a change with triggers disabled. Writers wait meanwhile.';
COMMENT ON FUNCTION datasets_move_revision() IS
  'Trigger function: gives a new or changed dataset a revision that it never had: the time in microseconds.';

-- A gateway that was started before this migration could not read primary_mark. It tries again after a notification.
SELECT pg_notify('catalog', 'everything');
