-- A dataset that gets another id is announced by both.
CREATE OR REPLACE FUNCTION datasets_notify() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('catalog', 'dataset ' || coalesce(NEW.id, OLD.id));
  IF NEW.id <> OLD.id THEN PERFORM pg_notify('catalog', 'dataset ' || OLD.id); END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION datasets_notify() IS 'Trigger function: sends "dataset UUID" on the channel catalog.';
