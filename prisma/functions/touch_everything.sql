-- For TRUNCATE, which shows no rows to a trigger.
CREATE OR REPLACE FUNCTION touch_everything() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_everything() IS
  'Trigger function: moves all revisions, begins all logs again and sends "everything" on the channel catalog after TRUNCATE.';
