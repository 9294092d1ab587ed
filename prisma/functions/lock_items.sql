-- A removal of a dataset locks its row before it removes the items. TRUNCATE and recount_items() lock the table of items first. So a
-- removal locks the tables first too.
CREATE OR REPLACE FUNCTION lock_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items, images, code_labels IN ROW EXCLUSIVE MODE;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION lock_items() IS 'Trigger function: locks the tables that the removal of a dataset changes.';
