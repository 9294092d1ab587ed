-- One call of touch_datasets() for the old and the new datasets: two calls would lock a high id before a low one, and two opposite moves
-- would wait for each other. INSERT has no old_rows and DELETE has no new_rows.
CREATE OR REPLACE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM old_rows);
  ELSE ids := ARRAY(SELECT dataset_id FROM old_rows UNION SELECT dataset_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ids);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION items_touch_dataset() IS
  'Trigger function: moves the revisions of the datasets of changed items or labels.';
