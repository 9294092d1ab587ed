-- Moves the revisions of datasets. It locks them in the order of their ids first, so two writers never wait for each other. Writers to
-- one dataset take turns, on which count_items() and count_tiles() rely.
CREATE OR REPLACE FUNCTION touch_datasets(ids uuid[]) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM datasets WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
  UPDATE datasets SET revision = revision WHERE id = ANY (ids);
END $$;
COMMENT ON FUNCTION touch_datasets(uuid[]) IS
  'Locks datasets in the order of their ids, and moves their revisions. Triggers call it.';
