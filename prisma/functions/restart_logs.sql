-- Begins the logs of datasets again: they have only changes after the current revision.
CREATE OR REPLACE FUNCTION restart_logs(ids uuid[]) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM item_changes WHERE dataset_id = ANY (ids);
  INSERT INTO change_logs (dataset_id, horizon, described_at)
  SELECT id, revision, revision FROM datasets WHERE id = ANY (ids)
      ON CONFLICT (dataset_id) DO UPDATE
     SET horizon = excluded.horizon, described_at = excluded.described_at, empty_from = NULL, loaded_by = NULL;
END $$;
COMMENT ON FUNCTION restart_logs(uuid[]) IS 'Begins the logs of the changes of datasets at their current revisions.';
