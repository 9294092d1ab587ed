-- TRUNCATE shows no rows to a trigger. DELETE and not TRUNCATE, because a reader of an older state must still see the counts of that
-- state, and must not wait.
CREATE OR REPLACE FUNCTION count_no_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM item_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_items() IS 'Trigger function: empties item_counts after TRUNCATE items.';
