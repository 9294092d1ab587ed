-- A revision is the time of the change in microseconds since 1970, or one more than the last revision if the clock is behind. So the
-- revision of a dataset never goes back, and none returns after a restore, or after a failover that loses transactions. A sequence would
-- begin again there. An INSERT waits until the clock moves, because the clock of the embedded database has milliseconds: a dataset that
-- replaces one that was deleted a moment ago must not get its revision. It takes no revision from the statement, so a copy gets its own.
CREATE OR REPLACE FUNCTION datasets_move_revision() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  began CONSTANT timestamptz := clock_timestamp();
  microseconds bigint;
BEGIN
  WHILE TG_OP = 'INSERT' AND clock_timestamp() = began LOOP
  END LOOP;
  microseconds := extract(epoch FROM clock_timestamp()) * 1000000;
  IF TG_OP = 'INSERT' THEN NEW.epoch := gen_random_uuid(); END IF;
  NEW.revision := CASE TG_OP WHEN 'INSERT' THEN microseconds ELSE greatest(microseconds, OLD.revision + 1) END;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION datasets_move_revision() IS
  'Trigger function: a revision is the time of the change in microseconds, and greater than the last one of the dataset.';
