-- Who keeps answers in memory must hear of every change, whoever makes it. Each transaction that writes moves the revision of
-- the datasets it touches, and says so on the channel `catalog` when it commits: `dataset UUID`, `key UUID` or `everything`.

-- One sequence for all, so that no dataset ever has a revision twice, deleted and made anew though it be.
CREATE SEQUENCE catalog_revision;
ALTER TABLE datasets ADD COLUMN revision bigint NOT NULL DEFAULT nextval('catalog_revision');
ALTER SEQUENCE catalog_revision OWNED BY datasets.revision;

CREATE FUNCTION datasets_move_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := nextval('catalog_revision');
  RETURN NEW;
END $$;
CREATE TRIGGER datasets_move_revision BEFORE UPDATE ON datasets
  FOR EACH ROW EXECUTE FUNCTION datasets_move_revision();

CREATE FUNCTION datasets_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('catalog', 'dataset ' || coalesce(NEW.id, OLD.id));
  IF NEW.id <> OLD.id THEN PERFORM pg_notify('catalog', 'dataset ' || OLD.id); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER datasets_notify AFTER INSERT OR UPDATE OR DELETE ON datasets
  FOR EACH ROW EXECUTE FUNCTION datasets_notify();

-- Locks the datasets in the order of their ids, so that two writers never wait for each other, and so that those who write
-- to one dataset do so one after the other: what is counted of it (the next migration) relies on that.
CREATE FUNCTION touch_datasets(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM datasets WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
  UPDATE datasets SET revision = revision WHERE id = ANY (ids);
END $$;

CREATE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM old_rows)); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM new_rows)); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION images_touch_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM old_rows JOIN items ON items.id = item_id));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM new_rows JOIN items ON items.id = item_id));
  END IF;
  RETURN NULL;
END $$;

-- PostgreSQL wants a trigger an operation where the changed rows are asked for. Triggers run in the order of their names.
CREATE TRIGGER items_1_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER items_1_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER items_1_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER images_1_insert AFTER INSERT ON images REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();
CREATE TRIGGER images_1_update AFTER UPDATE ON images REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();
CREATE TRIGGER images_1_delete AFTER DELETE ON images REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();

-- TRUNCATE shows no rows.
CREATE FUNCTION touch_everything() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM datasets ORDER BY id FOR NO KEY UPDATE;
  UPDATE datasets SET revision = revision;
  PERFORM pg_notify('catalog', 'everything');
  RETURN NULL;
END $$;
CREATE TRIGGER items_1_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();
CREATE TRIGGER images_1_truncate AFTER TRUNCATE ON images FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();

CREATE FUNCTION keys_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM pg_notify('catalog', 'everything');
  ELSIF TG_TABLE_NAME = 'grants' THEN
    PERFORM pg_notify('catalog', 'key ' || coalesce(NEW.api_key_id, OLD.api_key_id));
    IF NEW.api_key_id <> OLD.api_key_id THEN PERFORM pg_notify('catalog', 'key ' || OLD.api_key_id); END IF;
  ELSE
    PERFORM pg_notify('catalog', 'key ' || coalesce(OLD.id, NEW.id));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_notify AFTER INSERT OR UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER grants_notify AFTER INSERT OR UPDATE OR DELETE ON grants FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER api_keys_truncate AFTER TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();
CREATE TRIGGER grants_truncate AFTER TRUNCATE ON grants FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();
