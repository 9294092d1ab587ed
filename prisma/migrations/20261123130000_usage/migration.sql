-- Usage by dataset, in items and bytes too. A request that reads several datasets, or none, counts for the nil UUID.
-- There is no foreign key to datasets: the usage of a dataset stays when the dataset is removed.
ALTER TABLE key_usage_days
  ADD COLUMN dataset_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  ADD COLUMN items bigint NOT NULL DEFAULT 0,
  ADD COLUMN bytes bigint NOT NULL DEFAULT 0,
  DROP CONSTRAINT key_usage_days_pkey;
-- The defaults were for the rows of before.
ALTER TABLE key_usage_days
  ALTER COLUMN dataset_id DROP DEFAULT,
  ALTER COLUMN items DROP DEFAULT,
  ALTER COLUMN bytes DROP DEFAULT,
  ADD PRIMARY KEY (api_key_id, day, dataset_id);

COMMENT ON TABLE key_usage_days IS
  'Requests with each API key for each dataset on each day in UTC, with the items and bytes of the responses. The gateways add to it twice a minute.';

ALTER TABLE api_keys
  ADD COLUMN items_per_minute integer,
  ADD CONSTRAINT api_keys_items_per_minute_range CHECK (items_per_minute > 0);
