-- A change to the row of a dataset, but for its revision. A new dataset and a new epoch begin the log.
CREATE OR REPLACE FUNCTION datasets_log() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM item_changes;
    DELETE FROM change_logs;
    DELETE FROM mirrors;
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND NEW.id <> OLD.id) THEN
    DELETE FROM item_changes WHERE dataset_id = OLD.id;
    DELETE FROM change_logs WHERE dataset_id = OLD.id;
    DELETE FROM mirrors WHERE dataset_id = OLD.id;
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (NEW.id, NEW.epoch) <> (OLD.id, OLD.epoch)) THEN
    PERFORM restart_logs(ARRAY[NEW.id]);
  ELSIF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'revision' <> to_jsonb(OLD) - 'revision' THEN
    UPDATE change_logs SET described_at = NEW.revision WHERE dataset_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION datasets_log() IS 'Trigger function: keeps change_logs and mirrors after a change to the row of a dataset.';
