-- One call of touch_datasets() for the old and the new datasets: two calls would lock a high id before a low one, and two opposite moves
-- would wait for each other. INSERT has no old_rows and DELETE has no new_rows.
CREATE OR REPLACE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  ids    uuid[];
  logged uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN ids := ARRAY(SELECT DISTINCT dataset_id FROM old_rows);
  ELSE ids := ARRAY(SELECT dataset_id FROM old_rows UNION SELECT dataset_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ids);
  IF TG_TABLE_NAME = 'code_labels' THEN
    UPDATE change_logs AS log SET described_at = d.revision FROM datasets AS d WHERE d.id = log.dataset_id AND d.id = ANY (ids);
    RETURN NULL;
  END IF;
  logged := logged_among(ids, TG_OP = 'INSERT');
  IF logged = '{}' THEN RETURN NULL; END IF;
  EXECUTE format($sql$
    INSERT INTO item_changes (dataset_id, item_id, revision)
    SELECT changed.dataset_id, changed.id, d.revision
      FROM (%s) AS changed (dataset_id, id) JOIN datasets AS d ON d.id = changed.dataset_id
     WHERE d.id = ANY ($1)
        ON CONFLICT (dataset_id, item_id) DO UPDATE SET revision = excluded.revision
  $sql$, CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT dataset_id, id FROM new_rows'
    WHEN 'DELETE' THEN 'SELECT dataset_id, id FROM old_rows'
    ELSE 'SELECT dataset_id, id FROM old_rows UNION SELECT dataset_id, id FROM new_rows'
  END) USING logged;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION items_touch_dataset() IS
  'Trigger function: moves the revisions of the datasets of changed items or labels, and logs the changes.';
