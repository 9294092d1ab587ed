-- A revoked key and an ended grant stop within a second, because each change is announced.
CREATE OR REPLACE FUNCTION keys_notify() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM pg_notify('catalog', 'everything');
  ELSIF TG_TABLE_NAME IN ('grants', 'retired_secrets') THEN
    PERFORM pg_notify('catalog', 'key ' || coalesce(NEW.api_key_id, OLD.api_key_id));
    IF NEW.api_key_id <> OLD.api_key_id THEN PERFORM pg_notify('catalog', 'key ' || OLD.api_key_id); END IF;
  ELSE
    PERFORM pg_notify('catalog', 'key ' || coalesce(OLD.id, NEW.id));
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION keys_notify() IS
  'Trigger function: sends "key UUID" on the channel catalog after a change to an API key, a grant or a retired secret.';
