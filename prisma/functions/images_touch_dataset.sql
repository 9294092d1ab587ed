-- As items_touch_dataset(), for images, whose datasets are those of their items.
CREATE OR REPLACE FUNCTION images_touch_dataset() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  item_ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM old_rows);
  ELSE item_ids := ARRAY(SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM items WHERE id = ANY (item_ids)));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION images_touch_dataset() IS 'Trigger function: moves the revisions of the datasets of changed images.';
