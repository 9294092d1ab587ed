-- A new dataset gets a revision that no dataset had before, also if it replaces one that was deleted a moment ago. The clock of the
-- embedded database has milliseconds, in which a dataset can be deleted and made again. So an INSERT waits until the clock moves.
CREATE OR REPLACE FUNCTION datasets_move_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  began CONSTANT timestamptz := clock_timestamp();
  microseconds bigint;
BEGIN
  WHILE TG_OP = 'INSERT' AND clock_timestamp() = began LOOP
  END LOOP;
  microseconds := extract(epoch FROM clock_timestamp()) * 1000000;
  NEW.revision := CASE TG_OP WHEN 'INSERT' THEN microseconds ELSE greatest(microseconds, OLD.revision + 1) END;
  RETURN NEW;
END $$;

-- CREATE OR REPLACE drops the search_path that an earlier migration set.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION datasets_move_revision() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
COMMENT ON FUNCTION datasets_move_revision() IS
  'Trigger function: a revision is the time of the change in microseconds, and greater than the last one of the dataset.';
