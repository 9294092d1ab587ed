-- As items_touch_dataset(), for images, whose datasets are those of their items.
CREATE OR REPLACE FUNCTION images_touch_dataset() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  item_ids uuid[];
  ids      uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM old_rows);
  ELSE item_ids := ARRAY(SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows);
  END IF;
  ids := ARRAY(SELECT DISTINCT dataset_id FROM items WHERE id = ANY (item_ids));
  PERFORM touch_datasets(ids);
  ids := logged_among(ids, false);
  IF ids = '{}' THEN RETURN NULL; END IF;
  INSERT INTO item_changes (dataset_id, item_id, revision)
  SELECT d.id, i.id, d.revision FROM items AS i JOIN datasets AS d ON d.id = i.dataset_id
   WHERE i.id = ANY (item_ids) AND d.id = ANY (ids)
      ON CONFLICT (dataset_id, item_id) DO UPDATE SET revision = excluded.revision;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION images_touch_dataset() IS
  'Trigger function: moves the revisions of the datasets of changed images, and logs the changes of their items.';
