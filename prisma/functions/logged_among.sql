-- The transaction that inserts the first items of a dataset writes no log of them: who has a copy of the empty dataset gets all items anyway.
CREATE OR REPLACE FUNCTION logged_among(ids uuid[], inserts boolean) RETURNS uuid[] LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  current CONSTANT text := pg_current_xact_id();
BEGIN
  UPDATE change_logs AS log
     SET empty_from = coalesce(empty_from, horizon), horizon = d.revision, loaded_by = current
    FROM datasets AS d
   WHERE d.id = log.dataset_id AND d.id = ANY (ids)
     AND (loaded_by = current
          OR inserts
             AND NOT EXISTS (SELECT FROM item_counts AS c WHERE c.dataset_id = d.id AND c.list = 'all')
             AND NOT EXISTS (SELECT FROM item_changes AS c WHERE c.dataset_id = d.id));
  RETURN ARRAY(SELECT dataset_id FROM change_logs WHERE dataset_id = ANY (ids) AND loaded_by IS DISTINCT FROM current);
END $$;
COMMENT ON FUNCTION logged_among(uuid[], boolean) IS
  'The datasets whose changes are logged. Moves the horizon of those whose first items the transaction inserts.';
