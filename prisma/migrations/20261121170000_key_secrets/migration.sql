-- `catalog keys rotate` gives a key a new secret. The old secret moves to this table and works until it expires.
CREATE TABLE retired_secrets (
  hash       bytea PRIMARY KEY,
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,

  CONSTRAINT retired_secrets_hash_is_sha256 CHECK (octet_length(hash) = 32)
);
CREATE INDEX retired_secrets_api_key_id_idx ON retired_secrets (api_key_id);

-- The same function as before, for one more table.
CREATE OR REPLACE FUNCTION keys_notify() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- CREATE OR REPLACE drops the search_path that the migration before this one set.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION keys_notify() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
CREATE TRIGGER retired_secrets_notify AFTER INSERT OR UPDATE OR DELETE ON retired_secrets
  FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER retired_secrets_truncate AFTER TRUNCATE ON retired_secrets
  FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();

-- No trigger announces this table, because the gateways do not cache it.
CREATE TABLE key_usage_days (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  day        date NOT NULL,
  requests   bigint NOT NULL,

  PRIMARY KEY (api_key_id, day)
);

COMMENT ON TABLE retired_secrets IS 'Old secrets of rotated API keys, as SHA-256. Each works until it expires.';
COMMENT ON TABLE key_usage_days IS
  'Number of requests with each API key on each day in UTC. The gateways add to it twice a minute.';
COMMENT ON FUNCTION keys_notify() IS
  'Trigger function: sends "key UUID" on the channel catalog after a change to an API key, a grant or a retired secret.';
