-- Gateways and commands can read each row that PostgreSQL accepts. One dataset with the time `infinity` made all requests of all keys
-- fail, because each reads the list of all datasets. One key with that time, or with a tier that is NULL, made `catalog keys list` fail.

-- Every time is in the years 1 to 9999, so that it has the form 2026-01-31T09:00:00.000Z.
DO $$
DECLARE
  first CONSTANT timestamptz := '0001-01-01 00:00:00+00';
  last  CONSTANT timestamptz := '9999-12-31 23:59:59.999+00';
  place record;
BEGIN
  FOR place IN
    SELECT * FROM (VALUES
      ('datasets', 'created_at'), ('datasets', 'updated_at'), ('items', 'created_at'), ('items', 'updated_at'),
      ('api_keys', 'created_at'), ('api_keys', 'expires_at'), ('api_keys', 'revoked_at'),
      ('grants', 'created_at'), ('grants', 'expires_at'), ('retired_secrets', 'expires_at')
    ) AS place (relation, field)
  LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = greatest(least(%2$I, %4$L), %3$L) WHERE %2$I NOT BETWEEN %3$L AND %4$L',
                   place.relation, place.field, first, last);
    -- NULL passes the check. It says that a key or a grant never expires.
    EXECUTE format('ALTER TABLE %1$I ADD CONSTRAINT %1$s_%2$s_has_a_year CHECK (%2$I BETWEEN %3$L AND %4$L)',
                   place.relation, place.field, first, last);
  END LOOP;
END $$;

-- No key gets a tier by this: NULL is none, and neither is an element of a list in a list.
UPDATE api_keys SET access_tiers = CASE WHEN array_ndims(access_tiers) = 1 THEN array_remove(access_tiers, NULL) ELSE '{}' END
 WHERE coalesce(array_ndims(access_tiers), 1) <> 1 OR array_position(access_tiers, NULL) IS NOT NULL;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_access_tiers_are_a_list
  CHECK (coalesce(array_ndims(access_tiers), 1) = 1 AND array_position(access_tiers, NULL) IS NULL);
