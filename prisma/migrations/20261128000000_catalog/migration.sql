-- The database of the catalog, in four chapters:
--
--   1. tables and indexes: datasets, their items and images, keys, and the history of changes
--   2. counts: how many items each list and map tile has, which triggers keep
--   3. changes: how gateways learn of each change, whoever makes it
--   4. search: the folded names of items, and their parts
--
-- prisma/functions/ has the current text of each function. A later migration that changes one takes it from there.

CREATE EXTENSION IF NOT EXISTS postgis;


-- Chapter 1: tables and indexes
--
-- Names sort by Unicode code point on every database, so their columns have COLLATE "C". Every time is in the years 1 to 9999, because
-- responses write it as 2026-01-31T09:00:00.000Z. NULL passes this check: a key or a grant without a time never expires. One dataset with
-- the time `infinity` would make all requests of all keys fail.

CREATE TYPE dataset_status AS ENUM ('draft', 'active', 'inactive', 'archived');
CREATE TYPE dataset_visibility AS ENUM ('public', 'restricted', 'paid');

CREATE TABLE datasets (
  id               uuid PRIMARY KEY,
  slug             text COLLATE "C" NOT NULL,
  name             text COLLATE "C" NOT NULL,
  description      text,
  status           dataset_status NOT NULL,
  visibility       dataset_visibility NOT NULL,
  access_tier      text,
  attribution      text NOT NULL,
  created_at       timestamptz(3) NOT NULL,
  updated_at       timestamptz(3) NOT NULL,
  -- A trigger of chapter 3 sets it.
  revision         bigint NOT NULL DEFAULT 0,
  -- Facts from the manifest. Null means that a fact is unknown.
  license          text,
  publisher        text,
  contact          text,
  terms_url        text,
  source_url       text,
  -- Text, so that every client gets the date as the manifest gave it.
  source_date      text CHECK (source_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  update_frequency text,
  -- Cursors of its changes have it. A new one says that they are of another life of the dataset.
  epoch            uuid NOT NULL DEFAULT gen_random_uuid(),

  -- The address of a dataset is its UUID or its slug, so no slug may look like a UUID.
  CONSTRAINT datasets_slug_is_not_a_uuid
    CHECK (slug !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
  CONSTRAINT datasets_slug_fits_a_url
    CHECK (slug ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$'),
  CONSTRAINT datasets_access_tier_is_not_empty CHECK (access_tier <> ''),
  CONSTRAINT datasets_created_at_has_a_year
    CHECK (created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT datasets_updated_at_has_a_year
    CHECK (updated_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00')
);
-- One dataset for each slug. Commands find a dataset by it; gateways keep the list of all datasets in memory.
CREATE UNIQUE INDEX datasets_slug_key ON datasets (slug);

COMMENT ON COLUMN datasets.revision IS
  'Time of the last change to the dataset, its items, their images or the labels, in microseconds since 1970.';
COMMENT ON COLUMN datasets.epoch IS 'Random number in the cursors of the dataset''s changes. With a new one, copies begin again.';

-- Chapters 2 and 4 add the columns that are computed: tile_cell, folded_name and folded_keywords.
CREATE TABLE items (
  id                       uuid PRIMARY KEY,
  dataset_id               uuid NOT NULL,
  external_id              text COLLATE "C",
  name                     text COLLATE "C" NOT NULL,
  description              text NOT NULL DEFAULT '',
  administrative_area_code text COLLATE "C" NOT NULL,
  category_code            text COLLATE "C" NOT NULL,
  parent_item_id           uuid,
  street_address           text NOT NULL DEFAULT '',
  address_region           text,
  address_locality         text,
  postal_code              text,
  road_address             text,
  jibun_address            text,
  latitude                 numeric(9, 7) NOT NULL,
  longitude                numeric(10, 7) NOT NULL,
  location                 geography(Point, 4326) NOT NULL GENERATED ALWAYS AS
    (ST_SetSRID(ST_MakePoint(longitude::float8, latitude::float8), 4326)::geography) STORED,
  thumbnail_url            text,
  contact_name             text NOT NULL DEFAULT '',
  telephone                text NOT NULL DEFAULT '',
  email                    text,
  url                      text NOT NULL DEFAULT '',
  opening_hours            text,
  extra_attributes         jsonb NOT NULL DEFAULT '{}',
  created_at               timestamptz(3) NOT NULL,
  updated_at               timestamptz(3) NOT NULL,

  CONSTRAINT items_latitude_range CHECK (latitude BETWEEN -90 AND 90),
  CONSTRAINT items_longitude_range CHECK (longitude BETWEEN -180 AND 180),
  CONSTRAINT items_extra_attributes_is_an_object CHECK (jsonb_typeof(extra_attributes) = 'object'),
  CONSTRAINT items_is_not_its_own_parent CHECK (parent_item_id <> id),
  CONSTRAINT items_created_at_has_a_year
    CHECK (created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT items_updated_at_has_a_year
    CHECK (updated_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT items_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
);
-- Exports and the features of /ogc: the items of a dataset in the order of their ids. And the foreign key of parents.
CREATE UNIQUE INDEX items_dataset_id_id_key ON items (dataset_id, id);
-- A parent is in the same dataset. Deferrable, because items may change places within an import.
ALTER TABLE items ADD CONSTRAINT items_parent_fkey
  FOREIGN KEY (dataset_id, parent_item_id) REFERENCES items (dataset_id, id) DEFERRABLE;
-- An import finds the items of before by their external ids.
ALTER TABLE items ADD CONSTRAINT items_dataset_id_external_id_key UNIQUE (dataset_id, external_id) DEFERRABLE;

-- Lists and connections of a dataset: one index for each sort. The id decides between equal values, in pages and in cursors.
CREATE INDEX items_dataset_id_name_id_idx ON items (dataset_id, name, id);
CREATE INDEX items_dataset_id_created_at_id_idx ON items (dataset_id, created_at, id);
-- This one also gives the first and the last change in the extent of a dataset.
CREATE INDEX items_dataset_id_updated_at_id_idx ON items (dataset_id, updated_at, id);
-- Lists with a filter, by name: one index for each filter.
CREATE INDEX items_dataset_id_administrative_area_code_name_id_idx
  ON items (dataset_id, administrative_area_code, name, id);
CREATE INDEX items_dataset_id_category_code_name_id_idx ON items (dataset_id, category_code, name, id);
-- An index entry holds some 2,700 bytes, and these texts have any length. So the index has only texts of at most 100 characters
-- (src/catalog/filters.ts). It has no entry for null.
CREATE INDEX items_dataset_id_postal_code_name_id_idx ON items (dataset_id, postal_code, name, id)
  WHERE length(postal_code) <= 100;
CREATE INDEX items_dataset_id_address_region_name_id_idx ON items (dataset_id, address_region, name, id)
  WHERE length(address_region) <= 100;
-- The children of an item, by name.
CREATE INDEX items_dataset_id_parent_item_id_name_id_idx ON items (dataset_id, parent_item_id, name, id)
  WHERE parent_item_id IS NOT NULL;
-- The items without a parent, by name. IS NULL on the index above gives no order.
CREATE INDEX items_roots_dataset_id_name_id_idx ON items (dataset_id, name, id) WHERE parent_item_id IS NULL;
-- Searches in circles use the index on cells of chapter 2. Near a pole the cells are strips that reach to it.
CREATE INDEX items_location_idx ON items USING gist (location) WHERE abs(latitude) > 85;

CREATE TABLE images (
  id                   uuid PRIMARY KEY,
  item_id              uuid NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  original_url         text NOT NULL,
  cdn_url              text NOT NULL,
  thumbnail_small_url  text NOT NULL,
  thumbnail_medium_url text NOT NULL,
  thumbnail_large_url  text NOT NULL,
  alt_text             text NOT NULL DEFAULT '',
  sort_order           integer NOT NULL,
  is_primary           boolean NOT NULL,

  CONSTRAINT images_sort_order_range CHECK (sort_order >= 0)
);
-- The images of an item, in their order.
CREATE INDEX images_item_id_sort_order_id_idx ON images (item_id, sort_order, id);
-- An item has at most one primary image.
CREATE UNIQUE INDEX images_one_primary_per_item ON images (item_id) WHERE is_primary;

-- For example names of countries. Facets find the label of a code by the primary key.
CREATE TABLE code_labels (
  dataset_id uuid NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  field      text NOT NULL,
  code       text COLLATE "C" NOT NULL,
  label      text NOT NULL,

  PRIMARY KEY (dataset_id, field, code),
  CONSTRAINT code_labels_field_has_codes CHECK (field IN ('administrativeAreaCode', 'categoryCode'))
);

COMMENT ON TABLE code_labels IS 'Labels of the codes of items. Imports write them.';
COMMENT ON COLUMN code_labels.field IS 'Field of an item that has the code: administrativeAreaCode or categoryCode.';

-- A key with origins works only for requests of web pages with one of them.
CREATE TABLE api_keys (
  id                  uuid PRIMARY KEY,
  name                text NOT NULL,
  hash                bytea NOT NULL,
  access_tiers        text[] NOT NULL DEFAULT '{}',
  requests_per_minute integer,
  created_at          timestamptz(3) NOT NULL,
  expires_at          timestamptz(3),
  revoked_at          timestamptz(3),
  items_per_minute    integer,
  origins             text[] NOT NULL DEFAULT '{}',

  CONSTRAINT api_keys_hash_is_sha256 CHECK (octet_length(hash) = 32),
  CONSTRAINT api_keys_access_tiers_are_a_list
    CHECK (coalesce(array_ndims(access_tiers), 1) = 1 AND array_position(access_tiers, NULL) IS NULL),
  CONSTRAINT api_keys_requests_per_minute_range CHECK (requests_per_minute > 0),
  CONSTRAINT api_keys_items_per_minute_range CHECK (items_per_minute > 0),
  CONSTRAINT api_keys_created_at_has_a_year
    CHECK (created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT api_keys_expires_at_has_a_year
    CHECK (expires_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT api_keys_revoked_at_has_a_year
    CHECK (revoked_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00')
);
-- The first request with a key finds it by the hash of its secret.
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);

-- `catalog keys rotate` gives a key a new secret. The old secret moves to this table. A first request finds it by the primary key.
CREATE TABLE retired_secrets (
  hash       bytea PRIMARY KEY,
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,

  CONSTRAINT retired_secrets_hash_is_sha256 CHECK (octet_length(hash) = 32),
  CONSTRAINT retired_secrets_expires_at_has_a_year
    CHECK (expires_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00')
);
-- The removal of a key removes its old secrets.
CREATE INDEX retired_secrets_api_key_id_idx ON retired_secrets (api_key_id);

COMMENT ON TABLE retired_secrets IS 'Old secrets of rotated API keys, as SHA-256. Each works until it expires.';

CREATE TABLE grants (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  dataset_id uuid NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),

  -- The grants of a key, which the first request with it reads.
  PRIMARY KEY (api_key_id, dataset_id),
  CONSTRAINT grants_created_at_has_a_year
    CHECK (created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'),
  CONSTRAINT grants_expires_at_has_a_year
    CHECK (expires_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00')
);
-- `catalog datasets remove` counts the grants of a dataset, and removes them.
CREATE INDEX grants_dataset_id_idx ON grants (dataset_id);

-- The use of keys has tables of its own, because a trigger announces each change to a key. No trigger announces these two, because
-- gateways do not cache them.
CREATE TABLE key_uses (
  api_key_id uuid PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  used_at    timestamptz(3) NOT NULL
);

-- A request that reads several datasets, or none, counts for the nil UUID. There is no foreign key to datasets, because the usage of a
-- dataset stays when the dataset is removed.
CREATE TABLE key_usage_days (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  day        date NOT NULL,
  requests   bigint NOT NULL,
  dataset_id uuid NOT NULL,
  items      bigint NOT NULL,
  bytes      bigint NOT NULL,

  PRIMARY KEY (api_key_id, day, dataset_id)
);

COMMENT ON TABLE key_uses IS 'Time of the last use of each API key. The gateways write it twice a minute.';
COMMENT ON TABLE key_usage_days IS
  'Requests with each API key for each dataset on each day in UTC, with the items and bytes of the responses. The gateways add to it twice a minute.';

-- History: each import, update and removal with what undoes it. No foreign key leads to the dataset, because its history stays when it
-- is removed.
CREATE TABLE history_entries (
  id             bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  dataset_id     uuid NOT NULL,
  slug           text COLLATE "C" NOT NULL,
  at             timestamptz(3) NOT NULL,
  action         text NOT NULL,
  command        text NOT NULL,
  files          jsonb NOT NULL DEFAULT '[]',
  undone_id      bigint,
  created        integer NOT NULL,
  updated        integer NOT NULL,
  removed        integer NOT NULL,
  can_undo       boolean NOT NULL,
  revision       bigint,
  dataset_before jsonb,
  dataset_after  jsonb,
  columns        jsonb,

  CONSTRAINT history_entries_action CHECK (action IN ('import', 'update', 'remove', 'undo'))
);
-- `catalog history SLUG` and `catalog undo`: the entries of a dataset, newest first.
CREATE INDEX history_entries_dataset_id_id_idx ON history_entries (dataset_id, id);
-- The same of a dataset that was removed, by its last slug: `catalog history SLUG` and `catalog datasets restore SLUG`.
CREATE INDEX history_entries_slug_id_idx ON history_entries (slug, id);

-- Rows of many items are in one text, because PostgreSQL compresses only long values.
CREATE TABLE history_parts (
  entry_id bigint NOT NULL REFERENCES history_entries (id) ON DELETE CASCADE,
  kind     text NOT NULL,
  part     integer NOT NULL,
  content  text NOT NULL,

  PRIMARY KEY (entry_id, kind, part),
  CONSTRAINT history_parts_kind CHECK (kind IN ('before', 'after'))
);

-- lz4 takes a fifth of the time of the default method. Some builds of PostgreSQL lack it.
DO $$ BEGIN
  ALTER TABLE history_parts ALTER COLUMN content SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

COMMENT ON TABLE history_entries IS 'Changes of datasets by the catalog command.';
COMMENT ON COLUMN history_entries.slug IS 'Slug of the dataset after the change, or before its removal.';
COMMENT ON COLUMN history_entries.files IS 'Files of an import: name, size in bytes, and SHA-256.';
COMMENT ON COLUMN history_entries.undone_id IS 'Entry that this one undid.';
COMMENT ON COLUMN history_entries.created IS 'Number of created items.';
COMMENT ON COLUMN history_entries.can_undo IS 'False when UNDO_DAYS are over: what is needed to undo the change is deleted.';
COMMENT ON COLUMN history_entries.revision IS 'Revision of the dataset after the change, or null if there is no dataset then.';
COMMENT ON COLUMN history_entries.dataset_before IS 'Row of the dataset before the change, with its labels, and its grants if the change removed it.';
COMMENT ON COLUMN history_entries.dataset_after IS 'Row of the dataset after the change, with its labels.';
COMMENT ON COLUMN history_entries.columns IS 'Names of the columns of items and images that the entry compares.';
COMMENT ON TABLE history_parts IS 'Items of history entries, on lines. `before` has the changed and removed items in JSON, as they were. `after` has the id of each created and changed item, and a hash of it.';

-- The last import of each dataset, by which an import of the same files is found to change nothing. The row of a dataset that was removed stays:
-- no dataset has its revision again. So there is no foreign key, which would also need the table in each TRUNCATE of datasets.
CREATE TABLE last_imports (
  dataset_id uuid   PRIMARY KEY,
  revision   bigint NOT NULL,
  digest     text   NOT NULL
);

-- The log of changes, which copies of a dataset follow. Triggers of chapter 3 write both tables. An item has one row, of its last change;
-- the row of a removed item stays until FEED_RETENTION_DAYS are over. There is no foreign key: a change of the log locks no other row.
CREATE TABLE item_changes (
  dataset_id uuid   NOT NULL,
  item_id    uuid   NOT NULL,
  revision   bigint NOT NULL,

  PRIMARY KEY (dataset_id, item_id)
);
-- The changes of a dataset after a revision.
CREATE INDEX item_changes_dataset_id_revision_item_id_idx ON item_changes (dataset_id, revision, item_id);

CREATE TABLE change_logs (
  dataset_id   uuid   PRIMARY KEY,
  horizon      bigint NOT NULL,
  described_at bigint NOT NULL,
  empty_from   bigint,
  loaded_by    text
);

COMMENT ON TABLE item_changes IS 'The last change of each item that was changed or removed.';
COMMENT ON COLUMN item_changes.revision IS 'Revision of the dataset after the change.';
COMMENT ON TABLE change_logs IS 'What the log has of each dataset.';
COMMENT ON COLUMN change_logs.horizon IS 'The log has all changes after this revision.';
COMMENT ON COLUMN change_logs.described_at IS 'Revision of the last change to the row of the dataset or its labels.';
COMMENT ON COLUMN change_logs.empty_from IS 'From this revision to the horizon the dataset had no items. Null if that is not known.';
COMMENT ON COLUMN change_logs.loaded_by IS 'The transaction that loaded the first items.';

-- Datasets that are copies of those of another catalog (catalog mirror). As in last_imports, no foreign key: datasets_log() removes rows.
CREATE TABLE mirrors (
  dataset_id  uuid           PRIMARY KEY,
  origin      text           NOT NULL,
  cursor      text           NOT NULL,
  dataset     jsonb          NOT NULL,
  complete_at timestamptz(3) NOT NULL,
  problem     text
);

COMMENT ON TABLE mirrors IS 'Datasets that are copies of those of another catalog.';
COMMENT ON COLUMN mirrors.origin IS 'URL of the other catalog.';
COMMENT ON COLUMN mirrors.cursor IS 'Cursor of the last complete state.';
COMMENT ON COLUMN mirrors.dataset IS 'The dataset with its labels, as the origin has described it.';
COMMENT ON COLUMN mirrors.complete_at IS 'When the copy was last known to be complete.';
COMMENT ON COLUMN mirrors.problem IS 'Why the origin gives no changes any more, or null.';

-- The mark of the server that accepts writes: a random number that it gets after each start and after each promotion. Only replicas
-- of this server show it (src/database/log-position.ts).
CREATE TABLE primary_mark (
  is_only    boolean PRIMARY KEY DEFAULT true,
  started_at timestamptz(6) NOT NULL,
  timeline   integer NOT NULL,
  mark       uuid NOT NULL,

  CONSTRAINT primary_mark_has_one_row CHECK (is_only)
);

COMMENT ON TABLE primary_mark IS
  'The server that accepts writes. A gateway with replicas writes it after each start of the server.';
COMMENT ON COLUMN primary_mark.started_at IS 'Start of the server, as pg_postmaster_start_time() gives it.';
COMMENT ON COLUMN primary_mark.timeline IS 'Timeline of the server''s write-ahead log.';
COMMENT ON COLUMN primary_mark.mark IS 'Random number of this start of the server.';


-- Chapter 2: counts
--
-- Triggers on items count them: in each list that clients can ask for, so a total costs nothing; and in each map tile, so a
-- tile with many items reads counts, and a search near a point adds them up. The trigger that runs before (chapter 3) locks the datasets of the changed items, so no other transaction changes the same counts.
--
-- Each function of a trigger has its own search_path. So it finds the tables of the catalog, whatever the session has set, and
-- whichever temporary tables it has: pg_temp is last, because PostgreSQL otherwise searches it first. tile_cell_of() uses nothing
-- but built-in functions and runs for each row; a search_path would take time.

-- Lists: all items of a dataset and its root items, each also by area, by category and by both; and the children of an item, which are
-- few enough to count them when a request has filters. The primary key finds the total of a list, and the codes of facets.
CREATE TABLE item_counts (
  dataset_id uuid NOT NULL,
  list       text COLLATE "C" NOT NULL,
  n          integer NOT NULL,

  PRIMARY KEY (dataset_id, list)
);
-- The trigger deletes the counts of 0.
CREATE INDEX item_counts_none_left ON item_counts (dataset_id) WHERE n = 0;

COMMENT ON TABLE item_counts IS 'Number of items in each list of a dataset. Triggers on items maintain it.';
COMMENT ON COLUMN item_counts.list IS 'Name of the list, as list_name() makes it.';

-- The name of a list in item_counts: `all`, `roots` or `children of UUID`, then its filters. Null is no filter. The statements that
-- read totals build the same names (src/catalog/sql/item-list.ts).
CREATE FUNCTION list_name(among text, area text, category text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN among || coalesce(' area ''' || replace(area, '''', '''''') || '''', '')
             || coalesce(' category ''' || replace(category, '''', '''''') || '''', '');
COMMENT ON FUNCTION list_name(text, text, text) IS
  'Name of a list in item_counts: all, roots or children of UUID, then the filters. src/catalog/sql/items.ts makes the same name.';

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in all lists that contain the item. Counts of 0 are deleted.
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  columns CONSTANT text := 'dataset_id, parent_item_id, administrative_area_code, category_code';
  added   CONSTANT text := 'SELECT 1 AS sign, ' || columns || ' FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, ' || columns || ' FROM old_rows';
  -- INSERT has no old_rows and DELETE has no new_rows, so the text of the statements depends on the operation.
  changes CONSTANT text :=
    CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
  ids     uuid[];
BEGIN
  EXECUTE format($sql$ SELECT array_agg(DISTINCT dataset_id) FROM (%s) AS change $sql$, changes) INTO ids;
  IF ids IS NULL THEN RETURN NULL; END IF;

  EXECUTE format($sql$
    WITH changed AS (
      SELECT dataset_id, parent_item_id, administrative_area_code, category_code, sum(sign) AS sign
        FROM (%s) AS change GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0
    ), counted AS (
      SELECT dataset_id, list_name(among, administrative_area_code, category_code) AS list, sum(sign) AS sign
        FROM changed
       CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
       GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
      HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3
    )
    INSERT INTO item_counts AS current (dataset_id, list, n)
    SELECT dataset_id, list, sign FROM counted WHERE sign <> 0
        ON CONFLICT (dataset_id, list) DO UPDATE SET n = current.n + excluded.n
  $sql$, changes);
  DELETE FROM item_counts WHERE n = 0 AND dataset_id = ANY (ids);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_items() IS 'Trigger function: updates item_counts after a change to items.';
CREATE TRIGGER items_2_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_2_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_2_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_items();

-- TRUNCATE shows no rows to a trigger. DELETE and not TRUNCATE, because a reader of an older state must still see the counts of that
-- state, and must not wait.
CREATE FUNCTION count_no_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM item_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_items() IS 'Trigger function: empties item_counts after TRUNCATE items.';
CREATE TRIGGER items_2_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION count_no_items();

-- The cell of a point: Web Mercator (EPSG:3857) is a square of 2^30 by 2^30 cells, with x eastwards from 180° west and y southwards from
-- 85.0511° north. The bits of x and y alternate (Morton order): the first 2z bits are the x and y of the tile at zoom z, so the cells of
-- a tile are one range of numbers. Longitude 180 is -180. Latitudes beyond the square are in its edge cells.
CREATE FUNCTION tile_cell_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  size CONSTANT bigint := 1073741824;
  s    CONSTANT float8 := sin(radians(least(greatest(latitude, -85.06), 85.06)::float8));
  x    bigint := floor((longitude::float8 + 180) / 360 * size);
  y    bigint := floor((0.5 - ln((1 + s) / (1 - s)) / (4 * pi())) * size);
BEGIN
  x := x & (size - 1);
  y := least(greatest(y, 0), size - 1);
  -- Puts a zero before each bit. These operators have no precedence among each other.
  x := (x | (x << 16)) & x'0000ffff0000ffff'::bigint;
  y := (y | (y << 16)) & x'0000ffff0000ffff'::bigint;
  x := (x | (x << 8)) & x'00ff00ff00ff00ff'::bigint;
  y := (y | (y << 8)) & x'00ff00ff00ff00ff'::bigint;
  x := (x | (x << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  y := (y | (y << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  x := (x | (x << 2)) & x'3333333333333333'::bigint;
  y := (y | (y << 2)) & x'3333333333333333'::bigint;
  x := (x | (x << 1)) & x'5555555555555555'::bigint;
  y := (y | (y << 1)) & x'5555555555555555'::bigint;
  RETURN x | (y << 1);
END $$;

-- The x of a cell, as a number without gaps. The y is even_bits(cell >> 1).
CREATE FUNCTION even_bits(cell bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  cell := cell & x'5555555555555555'::bigint;
  cell := (cell | (cell >> 1)) & x'3333333333333333'::bigint;
  cell := (cell | (cell >> 2)) & x'0f0f0f0f0f0f0f0f'::bigint;
  cell := (cell | (cell >> 4)) & x'00ff00ff00ff00ff'::bigint;
  cell := (cell | (cell >> 8)) & x'0000ffff0000ffff'::bigint;
  RETURN (cell | (cell >> 16)) & x'00000000ffffffff'::bigint;
END $$;

ALTER TABLE items ADD COLUMN tile_cell bigint NOT NULL GENERATED ALWAYS AS (tile_cell_of(latitude, longitude)) STORED;
-- Map tiles, boxes and extents: the items in a range of cells. With the codes, a statement counts the items of a filter in a tile and
-- reads only the index.
CREATE INDEX items_dataset_id_tile_cell_idx ON items (dataset_id, tile_cell, category_code, administrative_area_code);

-- The items in each tile of the zooms 5, 9, 13 and 17: how many, and the sums of the x and y of their cells, whose mean is the place of
-- a cluster. The number of a tile is the first 2 * level bits of the cells of its items. The primary key finds the tiles in a tile or box.
CREATE TABLE tile_counts (
  dataset_id uuid NOT NULL,
  level      smallint NOT NULL,
  cell       bigint NOT NULL,
  n          integer NOT NULL,
  sum_x      bigint NOT NULL,
  sum_y      bigint NOT NULL,

  PRIMARY KEY (dataset_id, level, cell)
);
-- The trigger deletes the counts of 0.
CREATE INDEX tile_counts_none_left ON tile_counts (dataset_id) WHERE n = 0;

-- The items of each category in each tile of the zooms 5 and 9, as in tile_counts. No finer zooms: an item adds at most two rows, also where
-- each item has a category of its own.
CREATE TABLE tile_category_counts (
  dataset_id    uuid NOT NULL,
  level         smallint NOT NULL,
  cell          bigint NOT NULL,
  category_code text NOT NULL,
  n             integer NOT NULL,
  sum_x         bigint NOT NULL,
  sum_y         bigint NOT NULL,

  PRIMARY KEY (dataset_id, level, cell, category_code)
);
-- The trigger deletes the counts of 0.
CREATE INDEX tile_category_counts_none_left ON tile_category_counts (dataset_id) WHERE n = 0;

-- The inverse of even_bits(): puts a zero before each bit. The cell of column x and row y is spread_bits(x) | (spread_bits(y) << 1).
CREATE FUNCTION spread_bits(number bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  number := (number | (number << 16)) & x'0000ffff0000ffff'::bigint;
  number := (number | (number << 8)) & x'00ff00ff00ff00ff'::bigint;
  number := (number | (number << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  number := (number | (number << 2)) & x'3333333333333333'::bigint;
  RETURN (number | (number << 1)) & x'5555555555555555'::bigint;
END $$;

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in the tiles of all four zooms, and of two zooms for each category. The
-- sums of integers, which x and y are, take a third of the time of those of bigint.
CREATE FUNCTION count_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, category_code, tile_cell FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, category_code, tile_cell FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE '
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, category_code, tile_cell, sign,
             sign * even_bits(tile_cell)::integer AS x, sign * even_bits(tile_cell >> 1)::integer AS y
        FROM (' || changed || ') AS changed
    ), by_category AS (
      INSERT INTO tile_category_counts AS kept (dataset_id, level, cell, category_code, n, sum_x, sum_y)
      SELECT dataset_id, level, tile_cell >> 60 - 2 * level, category_code, sum(sign), sum(x), sum(y)
        FROM changed CROSS JOIN unnest(ARRAY[5, 9]) AS level
       GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
       ORDER BY 1, 2, 3, 4
          ON CONFLICT (dataset_id, level, cell, category_code) DO UPDATE
         SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y
    )
    INSERT INTO tile_counts AS kept (dataset_id, level, cell, n, sum_x, sum_y)
    SELECT dataset_id, level, tile_cell >> 60 - 2 * level, sum(sign), sum(x), sum(y)
      FROM changed CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
     ORDER BY 1, 2, 3
        ON CONFLICT (dataset_id, level, cell) DO UPDATE
       SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y';
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
    DELETE FROM tile_category_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_tiles() IS 'Trigger function: updates tile_counts and tile_category_counts after a change to items.';
CREATE TRIGGER items_3_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();
CREATE TRIGGER items_3_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();
CREATE TRIGGER items_3_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_tiles();

-- As count_no_items(), for the tiles.
CREATE FUNCTION count_no_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM tile_counts;
  DELETE FROM tile_category_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_tiles() IS 'Trigger function: empties tile_counts and tile_category_counts after TRUNCATE items.';
CREATE TRIGGER items_3_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION count_no_tiles();

-- The lock makes writers wait, so that no change is missed.
CREATE FUNCTION recount_tiles() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM tile_counts;
  INSERT INTO tile_counts (dataset_id, level, cell, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
  DELETE FROM tile_category_counts;
  INSERT INTO tile_category_counts (dataset_id, level, cell, category_code, n, sum_x, sum_y)
  SELECT dataset_id, level, tile_cell >> 60 - 2 * level, category_code, count(*), sum(even_bits(tile_cell)), sum(even_bits(tile_cell >> 1))
    FROM items CROSS JOIN unnest(ARRAY[5, 9]) AS level
   GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
END $$;
COMMENT ON FUNCTION recount_tiles() IS 'Counts the items of all tiles again. recount_items() calls it.';

-- For an operator who changed items with triggers disabled. It moves all revisions, because cached responses and totals may have been
-- made from wrong counts.
CREATE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  DELETE FROM item_counts;
  INSERT INTO item_counts (dataset_id, list, n)
  SELECT dataset_id, list_name(among, administrative_area_code, category_code), count(*)
    FROM items
   CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
   GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
  HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3;
  PERFORM recount_tiles();
END $$;
COMMENT ON FUNCTION recount_items() IS
  'Counts all items again and moves all revisions, after a change with triggers disabled. Writers wait meanwhile.';


-- Chapter 3: changes
--
-- Gateways keep responses in memory, so they must hear of every change, also of one by psql. Each transaction that writes to a dataset
-- moves its revision, and announces it on the channel `catalog` when it commits: `dataset UUID`, `key UUID` or `everything`.
--
-- Writers take their locks in one order: the tables items, images and code_labels, then rows of datasets in the order of their ids.

-- A revision is the time of the change in microseconds since 1970, or one more than the last revision if the clock is behind. So the
-- revision of a dataset never goes back, and none returns after a restore, or after a failover that loses transactions. A sequence would
-- begin again there. An INSERT waits until the clock moves, because the clock of the embedded database has milliseconds: a dataset that
-- replaces one that was deleted a moment ago must not get its revision. It takes no revision from the statement, so a copy gets its own.
CREATE FUNCTION datasets_move_revision() RETURNS trigger LANGUAGE plpgsql
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
CREATE TRIGGER datasets_move_revision BEFORE INSERT OR UPDATE ON datasets
  FOR EACH ROW EXECUTE FUNCTION datasets_move_revision();

-- A dataset that gets another id is announced by both.
CREATE FUNCTION datasets_notify() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('catalog', 'dataset ' || coalesce(NEW.id, OLD.id));
  IF NEW.id <> OLD.id THEN PERFORM pg_notify('catalog', 'dataset ' || OLD.id); END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION datasets_notify() IS 'Trigger function: sends "dataset UUID" on the channel catalog.';
CREATE TRIGGER datasets_notify AFTER INSERT OR UPDATE OR DELETE ON datasets
  FOR EACH ROW EXECUTE FUNCTION datasets_notify();

-- A removal of a dataset locks its row before it removes the items. TRUNCATE and recount_items() lock the table of items first. So a
-- removal locks the tables first too.
CREATE FUNCTION lock_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items, images, code_labels IN ROW EXCLUSIVE MODE;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION lock_items() IS 'Trigger function: locks the tables that the removal of a dataset changes.';
CREATE TRIGGER datasets_lock_items BEFORE DELETE ON datasets FOR EACH STATEMENT EXECUTE FUNCTION lock_items();

-- A change to items, images or labels moves the revision of their datasets. PostgreSQL needs a trigger for each operation, because a
-- trigger reads the changed rows. Triggers run in the order of their names: this one before the counts of chapter 2.

-- Moves the revisions of datasets. It locks them in the order of their ids first, so two writers never wait for each other. Writers to
-- one dataset take turns, on which count_items() and count_tiles() rely.
CREATE FUNCTION touch_datasets(ids uuid[]) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM datasets WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
  UPDATE datasets SET revision = revision WHERE id = ANY (ids);
END $$;
COMMENT ON FUNCTION touch_datasets(uuid[]) IS
  'Locks datasets in the order of their ids, and moves their revisions. Triggers call it.';

-- The log of changes, for copies of a dataset (table item_changes). The dataset is locked from its new revision to the commit, so its changes
-- commit in the order of their revisions: who has read up to a revision misses none.

-- Begins the logs of datasets again: they have only changes after the current revision.
CREATE FUNCTION restart_logs(ids uuid[]) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM item_changes WHERE dataset_id = ANY (ids);
  INSERT INTO change_logs (dataset_id, horizon, described_at)
  SELECT id, revision, revision FROM datasets WHERE id = ANY (ids)
      ON CONFLICT (dataset_id) DO UPDATE
     SET horizon = excluded.horizon, described_at = excluded.described_at, empty_from = NULL, loaded_by = NULL;
END $$;
COMMENT ON FUNCTION restart_logs(uuid[]) IS 'Begins the logs of the changes of datasets at their current revisions.';

-- The transaction that inserts the first items of a dataset writes no log of them: who has a copy of the empty dataset gets all items anyway.
CREATE FUNCTION logged_among(ids uuid[], inserts boolean) RETURNS uuid[] LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  current CONSTANT text := pg_current_xact_id();
BEGIN
  UPDATE change_logs AS log
     SET empty_from = coalesce(empty_from, horizon), horizon = d.revision, loaded_by = current
    FROM datasets AS d
   WHERE d.id = log.dataset_id AND d.id = ANY (ids)
     AND (loaded_by = current
          OR inserts
             AND NOT EXISTS (SELECT FROM item_counts AS c WHERE c.dataset_id = d.id AND c.list = 'all')
             AND NOT EXISTS (SELECT FROM item_changes AS c WHERE c.dataset_id = d.id));
  RETURN ARRAY(SELECT dataset_id FROM change_logs WHERE dataset_id = ANY (ids) AND loaded_by IS DISTINCT FROM current);
END $$;
COMMENT ON FUNCTION logged_among(uuid[], boolean) IS
  'The datasets whose changes are logged. Moves the horizon of those whose first items the transaction inserts.';

-- A change to the row of a dataset, but for its revision. A new dataset and a new epoch begin the log.
CREATE FUNCTION datasets_log() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM item_changes;
    DELETE FROM change_logs;
    DELETE FROM mirrors;
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND NEW.id <> OLD.id) THEN
    DELETE FROM item_changes WHERE dataset_id = OLD.id;
    DELETE FROM change_logs WHERE dataset_id = OLD.id;
    DELETE FROM mirrors WHERE dataset_id = OLD.id;
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (NEW.id, NEW.epoch) <> (OLD.id, OLD.epoch)) THEN
    PERFORM restart_logs(ARRAY[NEW.id]);
  ELSIF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'revision' <> to_jsonb(OLD) - 'revision' THEN
    UPDATE change_logs SET described_at = NEW.revision WHERE dataset_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION datasets_log() IS 'Trigger function: keeps change_logs and mirrors after a change to the row of a dataset.';
CREATE TRIGGER datasets_log AFTER INSERT OR UPDATE OR DELETE ON datasets FOR EACH ROW EXECUTE FUNCTION datasets_log();
CREATE TRIGGER datasets_truncate AFTER TRUNCATE ON datasets FOR EACH STATEMENT EXECUTE FUNCTION datasets_log();

-- One call of touch_datasets() for the old and the new datasets: two calls would lock a high id before a low one, and two opposite moves
-- would wait for each other. INSERT has no old_rows and DELETE has no new_rows.
CREATE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql
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
CREATE TRIGGER items_1_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER items_1_update AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER items_1_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_insert AFTER INSERT ON code_labels REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_update AFTER UPDATE ON code_labels REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_delete AFTER DELETE ON code_labels REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();

-- As items_touch_dataset(), for images, whose datasets are those of their items.
CREATE FUNCTION images_touch_dataset() RETURNS trigger LANGUAGE plpgsql
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
CREATE TRIGGER images_1_insert AFTER INSERT ON images REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();
CREATE TRIGGER images_1_update AFTER UPDATE ON images REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();
CREATE TRIGGER images_1_delete AFTER DELETE ON images REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION images_touch_dataset();

-- For TRUNCATE, which shows no rows to a trigger.
CREATE FUNCTION touch_everything() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM restart_logs(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_everything() IS
  'Trigger function: moves all revisions, begins all logs again and sends "everything" on the channel catalog after TRUNCATE.';
CREATE TRIGGER items_1_truncate AFTER TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();
CREATE TRIGGER images_1_truncate AFTER TRUNCATE ON images FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();
CREATE TRIGGER code_labels_truncate AFTER TRUNCATE ON code_labels
  FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();

-- A revoked key and an ended grant stop within a second, because each change is announced.
CREATE FUNCTION keys_notify() RETURNS trigger LANGUAGE plpgsql
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
CREATE TRIGGER api_keys_notify AFTER INSERT OR UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER api_keys_truncate AFTER TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();
CREATE TRIGGER grants_notify AFTER INSERT OR UPDATE OR DELETE ON grants FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER grants_truncate AFTER TRUNCATE ON grants FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();
CREATE TRIGGER retired_secrets_notify AFTER INSERT OR UPDATE OR DELETE ON retired_secrets
  FOR EACH ROW EXECUTE FUNCTION keys_notify();
CREATE TRIGGER retired_secrets_truncate AFTER TRUNCATE ON retired_secrets
  FOR EACH STATEMENT EXECUTE FUNCTION keys_notify();


-- Chapter 4: search
--
-- Searches compare folded texts. Indexes have the parts (grams) of the folded names and keywords, so a search finds a part of a name in any
-- script.

-- Folds a text for searches (docs/graphql.md). This is the only table of letters, and its constants are from Unicode 17 and CLDR:
--   middle dots become a space, as U+318D of Korean keyboards, which NFKC would make a vowel; alone standing accents are apostrophes;
--   NFKC, then lower case by ICU, which is the same on every server, whatever the locale of the database is;
--   apostrophes, Default_Ignorable_Code_Point (joiners, marks of direction, variation selectors, Hangul fillers) and tatweel are removed;
--   marks (M) after the letters (L) of Latin, Greek, Cyrillic, Arabic and Hebrew are removed. NFD separates them, NFC composes the others;
--   other punctuation (P) and White_Space are single spaces, with none at the ends;
--   Latin letters without a decomposition are those of CLDR's transform Latin-ASCII, as `uconv -x Latin-ASCII` prints them; ə is e, ɔ is o;
--   one letter for Arabic and Persian kaf, for yeh, for alef in all its forms, for teh marbuta and heh, and for kana that stand for ka and ke;
--   digits (Nd) are those of ASCII. The last letters of the table are from Unicode 15 to 17, which older servers do not fold.
-- The classes are listed, because the patterns of PostgreSQL have no names for them, and servers differ in their version of Unicode.
-- The body is a text, and its constants are E'' strings, so that standard_conforming_strings does not change the function.
CREATE FUNCTION fold_name(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded text COLLATE "C" := name;
  pair   text;
  digit  text;
BEGIN
  IF octet_length(folded) = char_length(folded) THEN
    folded := lower(folded);
    IF folded !~ '[^a-z0-9 ]|  |^ | $' THEN RETURN folded; END IF;
    folded := translate(folded, E'\x09\x0a\x0b\x0c\x0d!"#%&()*,-./:;?@[\\]_{}''`', repeat(' ', 27));
    RETURN btrim(regexp_replace(folded, '  +', ' ', 'g'), ' ');
  END IF;
  folded := normalize(translate(folded, E'\u0675\u318d\u2219\u22c5\ua78f\u00b4\u0384\u1fbd\u1fbf\u1ffd\u1ffe', E'\u0627    '), NFKC);
  folded := normalize(lower(folded COLLATE "und-x-icu"), NFD);
  folded := regexp_replace(folded,
    E'([\\u0041-\\u005a\\u0061-\\u007a\\u00aa\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02b8\\u02e0-\\u02e4\\u0370-\\u0373\\u0376-\\u0377\\u037a-\\u037d\\u037f\\u0386\\u0388-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u03e1\\u03f0-\\u03f5\\u03f7-\\u0481\\u048a-\\u052f\\u05d0-\\u05ea\\u05ef-\\u05f2\\u0620-\\u063f\\u0641-\\u064a\\u066e-\\u066f\\u0671-\\u06d3\\u06d5\\u06e5-\\u06e6\\u06ee-\\u06ef\\u06fa-\\u06fc\\u06ff\\u0750-\\u077f\\u0870-\\u0887\\u0889-\\u088f\\u08a0-\\u08c9\\u1c80-\\u1c8a\\u1d00-\\u1dbf\\u1e00-\\u1f15\\u1f18-\\u1f1d\\u1f20-\\u1f45\\u1f48-\\u1f4d\\u1f50-\\u1f57\\u1f59\\u1f5b\\u1f5d\\u1f5f-\\u1f7d\\u1f80-\\u1fb4\\u1fb6-\\u1fbc\\u1fbe\\u1fc2-\\u1fc4\\u1fc6-\\u1fcc\\u1fd0-\\u1fd3\\u1fd6-\\u1fdb\\u1fe0-\\u1fec\\u1ff2-\\u1ff4\\u1ff6-\\u1ffc\\u2071\\u207f\\u2090-\\u209c\\u2126\\u212a-\\u212b\\u2132\\u214e\\u2183-\\u2184\\u2c60-\\u2c7f\\ua640-\\ua66e\\ua67f-\\ua69d\\ua722-\\ua787\\ua78b-\\ua7dc\\ua7f1-\\ua7ff\\uab30-\\uab5a\\uab5c-\\uab69\\ufb00-\\ufb06\\ufb1d\\ufb1f-\\ufb28\\ufb2a-\\ufb36\\ufb38-\\ufb3c\\ufb3e\\ufb40-\\ufb41\\ufb43-\\ufb44\\ufb46-\\ufbb1\\ufbd3-\\ufd3d\\ufd50-\\ufd8f\\ufd92-\\ufdc7\\ufdf0-\\ufdfb\\ufe70-\\ufe74\\ufe76-\\ufefc\\uff21-\\uff3a\\uff41-\\uff5a\\U00010780-\\U00010785\\U00010787-\\U000107b0\\U000107b2-\\U000107ba\\U00010ec2-\\U00010ec7\\U0001ccd6-\\U0001ccef\\U0001df00-\\U0001df1e\\U0001df25-\\U0001df2a\\U0001e030-\\U0001e06d\\U0001ee00-\\U0001ee03\\U0001ee05-\\U0001ee1f\\U0001ee21-\\U0001ee22\\U0001ee24\\U0001ee27\\U0001ee29-\\U0001ee32\\U0001ee34-\\U0001ee37\\U0001ee39\\U0001ee3b\\U0001ee42\\U0001ee47\\U0001ee49\\U0001ee4b\\U0001ee4d-\\U0001ee4f\\U0001ee51-\\U0001ee52\\U0001ee54\\U0001ee57\\U0001ee59\\U0001ee5b\\U0001ee5d\\U0001ee5f\\U0001ee61-\\U0001ee62\\U0001ee64\\U0001ee67-\\U0001ee6a\\U0001ee6c-\\U0001ee72\\U0001ee74-\\U0001ee77\\U0001ee79-\\U0001ee7c\\U0001ee7e\\U0001ee80-\\U0001ee89\\U0001ee8b-\\U0001ee9b\\U0001eea1-\\U0001eea3\\U0001eea5-\\U0001eea9\\U0001eeab-\\U0001eebb])[\\u0027\\u0060\\u00ad\\u02b9-\\u02bf\\u02c8\\u02ca-\\u02cb\\u02ee\\u0300-\\u036f\\u0483-\\u0489\\u055a\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c2\\u05c4-\\u05c5\\u05c7\\u05f3\\u0610-\\u061a\\u061c\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7-\\u06e8\\u06ea-\\u06ed\\u0711\\u0730-\\u074a\\u07a6-\\u07b0\\u07eb-\\u07f5\\u07fd\\u0816-\\u0819\\u081b-\\u0823\\u0825-\\u0827\\u0829-\\u082d\\u0859-\\u085b\\u0897-\\u089f\\u08ca-\\u08e1\\u08e3-\\u0903\\u093a-\\u093c\\u093e-\\u094f\\u0951-\\u0957\\u0962-\\u0963\\u0981-\\u0983\\u09bc\\u09be-\\u09c4\\u09c7-\\u09c8\\u09cb-\\u09cd\\u09d7\\u09e2-\\u09e3\\u09fe\\u0a01-\\u0a03\\u0a3c\\u0a3e-\\u0a42\\u0a47-\\u0a48\\u0a4b-\\u0a4d\\u0a51\\u0a70-\\u0a71\\u0a75\\u0a81-\\u0a83\\u0abc\\u0abe-\\u0ac5\\u0ac7-\\u0ac9\\u0acb-\\u0acd\\u0ae2-\\u0ae3\\u0afa-\\u0aff\\u0b01-\\u0b03\\u0b3c\\u0b3e-\\u0b44\\u0b47-\\u0b48\\u0b4b-\\u0b4d\\u0b55-\\u0b57\\u0b62-\\u0b63\\u0b82\\u0bbe-\\u0bc2\\u0bc6-\\u0bc8\\u0bca-\\u0bcd\\u0bd7\\u0c00-\\u0c04\\u0c3c\\u0c3e-\\u0c44\\u0c46-\\u0c48\\u0c4a-\\u0c4d\\u0c55-\\u0c56\\u0c62-\\u0c63\\u0c81-\\u0c83\\u0cbc\\u0cbe-\\u0cc4\\u0cc6-\\u0cc8\\u0cca-\\u0ccd\\u0cd5-\\u0cd6\\u0ce2-\\u0ce3\\u0cf3\\u0d00-\\u0d03\\u0d3b-\\u0d3c\\u0d3e-\\u0d44\\u0d46-\\u0d48\\u0d4a-\\u0d4d\\u0d57\\u0d62-\\u0d63\\u0d81-\\u0d83\\u0dca\\u0dcf-\\u0dd4\\u0dd6\\u0dd8-\\u0ddf\\u0df2-\\u0df3\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u0eb1\\u0eb4-\\u0ebc\\u0ec8-\\u0ece\\u0f18-\\u0f19\\u0f35\\u0f37\\u0f39\\u0f3e-\\u0f3f\\u0f71-\\u0f84\\u0f86-\\u0f87\\u0f8d-\\u0f97\\u0f99-\\u0fbc\\u0fc6\\u102b-\\u103e\\u1056-\\u1059\\u105e-\\u1060\\u1062-\\u1064\\u1067-\\u106d\\u1071-\\u1074\\u1082-\\u108d\\u108f\\u109a-\\u109d\\u115f-\\u1160\\u135d-\\u135f\\u1712-\\u1715\\u1732-\\u1734\\u1752-\\u1753\\u1772-\\u1773\\u17b4-\\u17d3\\u17dd\\u180b-\\u180f\\u1885-\\u1886\\u18a9\\u1920-\\u192b\\u1930-\\u193b\\u1a17-\\u1a1b\\u1a55-\\u1a5e\\u1a60-\\u1a7c\\u1a7f\\u1ab0-\\u1add\\u1ae0-\\u1aeb\\u1b00-\\u1b04\\u1b34-\\u1b44\\u1b6b-\\u1b73\\u1b80-\\u1b82\\u1ba1-\\u1bad\\u1be6-\\u1bf3\\u1c24-\\u1c37\\u1cd0-\\u1cd2\\u1cd4-\\u1ce8\\u1ced\\u1cf4\\u1cf7-\\u1cf9\\u1dc0-\\u1dff\\u200b-\\u200f\\u2018-\\u2019\\u201b\\u202a-\\u202e\\u2032\\u2035\\u2060-\\u206f\\u20d0-\\u20f0\\u2cef-\\u2cf1\\u2d7f\\u2de0-\\u2dff\\u302a-\\u302f\\u3099-\\u309a\\u3164\\ua66f-\\ua672\\ua674-\\ua67d\\ua69e-\\ua69f\\ua6f0-\\ua6f1\\ua78b-\\ua78c\\ua802\\ua806\\ua80b\\ua823-\\ua827\\ua82c\\ua880-\\ua881\\ua8b4-\\ua8c5\\ua8e0-\\ua8f1\\ua8ff\\ua926-\\ua92d\\ua947-\\ua953\\ua980-\\ua983\\ua9b3-\\ua9c0\\ua9e5\\uaa29-\\uaa36\\uaa43\\uaa4c-\\uaa4d\\uaa7b-\\uaa7d\\uaab0\\uaab2-\\uaab4\\uaab7-\\uaab8\\uaabe-\\uaabf\\uaac1\\uaaeb-\\uaaef\\uaaf5-\\uaaf6\\uabe3-\\uabea\\uabec-\\uabed\\ufb1e\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff\\uffa0\\ufff0-\\ufff8\\U000101fd\\U000102e0\\U00010376-\\U0001037a\\U00010a01-\\U00010a03\\U00010a05-\\U00010a06\\U00010a0c-\\U00010a0f\\U00010a38-\\U00010a3a\\U00010a3f\\U00010ae5-\\U00010ae6\\U00010d24-\\U00010d27\\U00010d69-\\U00010d6d\\U00010eab-\\U00010eac\\U00010efa-\\U00010eff\\U00010f46-\\U00010f50\\U00010f82-\\U00010f85\\U00011000-\\U00011002\\U00011038-\\U00011046\\U00011070\\U00011073-\\U00011074\\U0001107f-\\U00011082\\U000110b0-\\U000110ba\\U000110c2\\U00011100-\\U00011102\\U00011127-\\U00011134\\U00011145-\\U00011146\\U00011173\\U00011180-\\U00011182\\U000111b3-\\U000111c0\\U000111c9-\\U000111cc\\U000111ce-\\U000111cf\\U0001122c-\\U00011237\\U0001123e\\U00011241\\U000112df-\\U000112ea\\U00011300-\\U00011303\\U0001133b-\\U0001133c\\U0001133e-\\U00011344\\U00011347-\\U00011348\\U0001134b-\\U0001134d\\U00011357\\U00011362-\\U00011363\\U00011366-\\U0001136c\\U00011370-\\U00011374\\U000113b8-\\U000113c0\\U000113c2\\U000113c5\\U000113c7-\\U000113ca\\U000113cc-\\U000113d0\\U000113d2\\U000113e1-\\U000113e2\\U00011435-\\U00011446\\U0001145e\\U000114b0-\\U000114c3\\U000115af-\\U000115b5\\U000115b8-\\U000115c0\\U000115dc-\\U000115dd\\U00011630-\\U00011640\\U000116ab-\\U000116b7\\U0001171d-\\U0001172b\\U0001182c-\\U0001183a\\U00011930-\\U00011935\\U00011937-\\U00011938\\U0001193b-\\U0001193e\\U00011940\\U00011942-\\U00011943\\U000119d1-\\U000119d7\\U000119da-\\U000119e0\\U000119e4\\U00011a01-\\U00011a0a\\U00011a33-\\U00011a39\\U00011a3b-\\U00011a3e\\U00011a47\\U00011a51-\\U00011a5b\\U00011a8a-\\U00011a99\\U00011b60-\\U00011b67\\U00011c2f-\\U00011c36\\U00011c38-\\U00011c3f\\U00011c92-\\U00011ca7\\U00011ca9-\\U00011cb6\\U00011d31-\\U00011d36\\U00011d3a\\U00011d3c-\\U00011d3d\\U00011d3f-\\U00011d45\\U00011d47\\U00011d8a-\\U00011d8e\\U00011d90-\\U00011d91\\U00011d93-\\U00011d97\\U00011ef3-\\U00011ef6\\U00011f00-\\U00011f01\\U00011f03\\U00011f34-\\U00011f3a\\U00011f3e-\\U00011f42\\U00011f5a\\U00013440\\U00013447-\\U00013455\\U0001611e-\\U0001612f\\U00016af0-\\U00016af4\\U00016b30-\\U00016b36\\U00016f4f\\U00016f51-\\U00016f87\\U00016f8f-\\U00016f92\\U00016fe4\\U00016ff0-\\U00016ff1\\U0001bc9d-\\U0001bc9e\\U0001bca0-\\U0001bca3\\U0001cf00-\\U0001cf2d\\U0001cf30-\\U0001cf46\\U0001d165-\\U0001d169\\U0001d16d-\\U0001d182\\U0001d185-\\U0001d18b\\U0001d1aa-\\U0001d1ad\\U0001d242-\\U0001d244\\U0001da00-\\U0001da36\\U0001da3b-\\U0001da6c\\U0001da75\\U0001da84\\U0001da9b-\\U0001da9f\\U0001daa1-\\U0001daaf\\U0001e000-\\U0001e006\\U0001e008-\\U0001e018\\U0001e01b-\\U0001e021\\U0001e023-\\U0001e024\\U0001e026-\\U0001e02a\\U0001e08f\\U0001e130-\\U0001e136\\U0001e2ae\\U0001e2ec-\\U0001e2ef\\U0001e4ec-\\U0001e4ef\\U0001e5ee-\\U0001e5ef\\U0001e6e3\\U0001e6e6\\U0001e6ee-\\U0001e6ef\\U0001e6f5\\U0001e8d0-\\U0001e8d6\\U0001e944-\\U0001e94a\\U000e0000-\\U000e0fff]+|[\\u0027\\u0060\\u00ad\\u02b9-\\u02bf\\u02c8\\u02ca-\\u02cb\\u02ee\\u034f\\u055a\\u05f3\\u061c\\u0640\\u07f4-\\u07f5\\u115f-\\u1160\\u17b4-\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2018-\\u2019\\u201b\\u202a-\\u202e\\u2032\\u2035\\u2060-\\u206f\\u3164\\ua78b-\\ua78c\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]+',
    E'\\1', 'g');
  folded := regexp_replace(folded,
    E' *[\\u0009-\\u000d\\u0021-\\u0023\\u0025-\\u0026\\u0028-\\u002a\\u002c-\\u002f\\u003a-\\u003b\\u003f-\\u0040\\u005b-\\u005d\\u005f\\u007b\\u007d\\u0085\\u00a0-\\u00a1\\u00a7\\u00ab\\u00b6-\\u00b7\\u00bb\\u00bf\\u037e\\u0387\\u055b-\\u055f\\u0589-\\u058a\\u05be\\u05c0\\u05c3\\u05c6\\u05f4\\u0609-\\u060a\\u060c-\\u060d\\u061b\\u061d-\\u061f\\u066a-\\u066d\\u06d4\\u0700-\\u070d\\u07f7-\\u07f9\\u0830-\\u083e\\u085e\\u0964-\\u0965\\u0970\\u09fd\\u0a76\\u0af0\\u0c77\\u0c84\\u0df4\\u0e4f\\u0e5a-\\u0e5b\\u0f04-\\u0f12\\u0f14\\u0f3a-\\u0f3d\\u0f85\\u0fd0-\\u0fd4\\u0fd9-\\u0fda\\u104a-\\u104f\\u10fb\\u1360-\\u1368\\u1400\\u166e\\u1680\\u169b-\\u169c\\u16eb-\\u16ed\\u1735-\\u1736\\u17d4-\\u17d6\\u17d8-\\u17da\\u1800-\\u180a\\u1944-\\u1945\\u1a1e-\\u1a1f\\u1aa0-\\u1aa6\\u1aa8-\\u1aad\\u1b4e-\\u1b4f\\u1b5a-\\u1b60\\u1b7d-\\u1b7f\\u1bfc-\\u1bff\\u1c3b-\\u1c3f\\u1c7e-\\u1c7f\\u1cc0-\\u1cc7\\u1cd3\\u2000-\\u200a\\u2010-\\u2017\\u201a\\u201c-\\u2029\\u202f-\\u2031\\u2033-\\u2034\\u2036-\\u2043\\u2045-\\u2051\\u2053-\\u205f\\u207d-\\u207e\\u208d-\\u208e\\u2308-\\u230b\\u2329-\\u232a\\u2768-\\u2775\\u27c5-\\u27c6\\u27e6-\\u27ef\\u2983-\\u2998\\u29d8-\\u29db\\u29fc-\\u29fd\\u2cf9-\\u2cfc\\u2cfe-\\u2cff\\u2d70\\u2e00-\\u2e2e\\u2e30-\\u2e4f\\u2e52-\\u2e5d\\u3000-\\u3003\\u3008-\\u3011\\u3014-\\u301f\\u3030\\u303d\\u30a0\\u30fb\\ua4fe-\\ua4ff\\ua60d-\\ua60f\\ua673\\ua67e\\ua6f2-\\ua6f7\\ua874-\\ua877\\ua8ce-\\ua8cf\\ua8f8-\\ua8fa\\ua8fc\\ua92e-\\ua92f\\ua95f\\ua9c1-\\ua9cd\\ua9de-\\ua9df\\uaa5c-\\uaa5f\\uaade-\\uaadf\\uaaf0-\\uaaf1\\uabeb\\ufd3e-\\ufd3f\\ufe10-\\ufe19\\ufe30-\\ufe52\\ufe54-\\ufe61\\ufe63\\ufe68\\ufe6a-\\ufe6b\\uff01-\\uff03\\uff05-\\uff0a\\uff0c-\\uff0f\\uff1a-\\uff1b\\uff1f-\\uff20\\uff3b-\\uff3d\\uff3f\\uff5b\\uff5d\\uff5f-\\uff65\\U00010100-\\U00010102\\U0001039f\\U000103d0\\U0001056f\\U00010857\\U0001091f\\U0001093f\\U00010a50-\\U00010a58\\U00010a7f\\U00010af0-\\U00010af6\\U00010b39-\\U00010b3f\\U00010b99-\\U00010b9c\\U00010d6e\\U00010ead\\U00010ed0\\U00010f55-\\U00010f59\\U00010f86-\\U00010f89\\U00011047-\\U0001104d\\U000110bb-\\U000110bc\\U000110be-\\U000110c1\\U00011140-\\U00011143\\U00011174-\\U00011175\\U000111c5-\\U000111c8\\U000111cd\\U000111db\\U000111dd-\\U000111df\\U00011238-\\U0001123d\\U000112a9\\U000113d4-\\U000113d5\\U000113d7-\\U000113d8\\U0001144b-\\U0001144f\\U0001145a-\\U0001145b\\U0001145d\\U000114c6\\U000115c1-\\U000115d7\\U00011641-\\U00011643\\U00011660-\\U0001166c\\U000116b9\\U0001173c-\\U0001173e\\U0001183b\\U00011944-\\U00011946\\U000119e2\\U00011a3f-\\U00011a46\\U00011a9a-\\U00011a9c\\U00011a9e-\\U00011aa2\\U00011b00-\\U00011b09\\U00011be1\\U00011c41-\\U00011c45\\U00011c70-\\U00011c71\\U00011ef7-\\U00011ef8\\U00011f43-\\U00011f4f\\U00011fff\\U00012470-\\U00012474\\U00012ff1-\\U00012ff2\\U00016a6e-\\U00016a6f\\U00016af5\\U00016b37-\\U00016b3b\\U00016b44\\U00016d6d-\\U00016d6f\\U00016e97-\\U00016e9a\\U00016fe2\\U0001bc9f\\U0001da87-\\U0001da8b\\U0001e5ff\\U0001e95e-\\U0001e95f][\\u0009-\\u000d\\u0020-\\u0023\\u0025-\\u0026\\u0028-\\u002a\\u002c-\\u002f\\u003a-\\u003b\\u003f-\\u0040\\u005b-\\u005d\\u005f\\u007b\\u007d\\u0085\\u00a0-\\u00a1\\u00a7\\u00ab\\u00b6-\\u00b7\\u00bb\\u00bf\\u037e\\u0387\\u055b-\\u055f\\u0589-\\u058a\\u05be\\u05c0\\u05c3\\u05c6\\u05f4\\u0609-\\u060a\\u060c-\\u060d\\u061b\\u061d-\\u061f\\u066a-\\u066d\\u06d4\\u0700-\\u070d\\u07f7-\\u07f9\\u0830-\\u083e\\u085e\\u0964-\\u0965\\u0970\\u09fd\\u0a76\\u0af0\\u0c77\\u0c84\\u0df4\\u0e4f\\u0e5a-\\u0e5b\\u0f04-\\u0f12\\u0f14\\u0f3a-\\u0f3d\\u0f85\\u0fd0-\\u0fd4\\u0fd9-\\u0fda\\u104a-\\u104f\\u10fb\\u1360-\\u1368\\u1400\\u166e\\u1680\\u169b-\\u169c\\u16eb-\\u16ed\\u1735-\\u1736\\u17d4-\\u17d6\\u17d8-\\u17da\\u1800-\\u180a\\u1944-\\u1945\\u1a1e-\\u1a1f\\u1aa0-\\u1aa6\\u1aa8-\\u1aad\\u1b4e-\\u1b4f\\u1b5a-\\u1b60\\u1b7d-\\u1b7f\\u1bfc-\\u1bff\\u1c3b-\\u1c3f\\u1c7e-\\u1c7f\\u1cc0-\\u1cc7\\u1cd3\\u2000-\\u200a\\u2010-\\u2017\\u201a\\u201c-\\u2029\\u202f-\\u2031\\u2033-\\u2034\\u2036-\\u2043\\u2045-\\u2051\\u2053-\\u205f\\u207d-\\u207e\\u208d-\\u208e\\u2308-\\u230b\\u2329-\\u232a\\u2768-\\u2775\\u27c5-\\u27c6\\u27e6-\\u27ef\\u2983-\\u2998\\u29d8-\\u29db\\u29fc-\\u29fd\\u2cf9-\\u2cfc\\u2cfe-\\u2cff\\u2d70\\u2e00-\\u2e2e\\u2e30-\\u2e4f\\u2e52-\\u2e5d\\u3000-\\u3003\\u3008-\\u3011\\u3014-\\u301f\\u3030\\u303d\\u30a0\\u30fb\\ua4fe-\\ua4ff\\ua60d-\\ua60f\\ua673\\ua67e\\ua6f2-\\ua6f7\\ua874-\\ua877\\ua8ce-\\ua8cf\\ua8f8-\\ua8fa\\ua8fc\\ua92e-\\ua92f\\ua95f\\ua9c1-\\ua9cd\\ua9de-\\ua9df\\uaa5c-\\uaa5f\\uaade-\\uaadf\\uaaf0-\\uaaf1\\uabeb\\ufd3e-\\ufd3f\\ufe10-\\ufe19\\ufe30-\\ufe52\\ufe54-\\ufe61\\ufe63\\ufe68\\ufe6a-\\ufe6b\\uff01-\\uff03\\uff05-\\uff0a\\uff0c-\\uff0f\\uff1a-\\uff1b\\uff1f-\\uff20\\uff3b-\\uff3d\\uff3f\\uff5b\\uff5d\\uff5f-\\uff65\\U00010100-\\U00010102\\U0001039f\\U000103d0\\U0001056f\\U00010857\\U0001091f\\U0001093f\\U00010a50-\\U00010a58\\U00010a7f\\U00010af0-\\U00010af6\\U00010b39-\\U00010b3f\\U00010b99-\\U00010b9c\\U00010d6e\\U00010ead\\U00010ed0\\U00010f55-\\U00010f59\\U00010f86-\\U00010f89\\U00011047-\\U0001104d\\U000110bb-\\U000110bc\\U000110be-\\U000110c1\\U00011140-\\U00011143\\U00011174-\\U00011175\\U000111c5-\\U000111c8\\U000111cd\\U000111db\\U000111dd-\\U000111df\\U00011238-\\U0001123d\\U000112a9\\U000113d4-\\U000113d5\\U000113d7-\\U000113d8\\U0001144b-\\U0001144f\\U0001145a-\\U0001145b\\U0001145d\\U000114c6\\U000115c1-\\U000115d7\\U00011641-\\U00011643\\U00011660-\\U0001166c\\U000116b9\\U0001173c-\\U0001173e\\U0001183b\\U00011944-\\U00011946\\U000119e2\\U00011a3f-\\U00011a46\\U00011a9a-\\U00011a9c\\U00011a9e-\\U00011aa2\\U00011b00-\\U00011b09\\U00011be1\\U00011c41-\\U00011c45\\U00011c70-\\U00011c71\\U00011ef7-\\U00011ef8\\U00011f43-\\U00011f4f\\U00011fff\\U00012470-\\U00012474\\U00012ff1-\\U00012ff2\\U00016a6e-\\U00016a6f\\U00016af5\\U00016b37-\\U00016b3b\\U00016b44\\U00016d6d-\\U00016d6f\\U00016e97-\\U00016e9a\\U00016fe2\\U0001bc9f\\U0001da87-\\U0001da8b\\U0001e5ff\\U0001e95e-\\U0001e95f]*|  +',
    ' ', 'g');
  IF folded ~ E'[\\u00df\\u00e6\\u00f0\\u00f8\\u00fe\\u0111\\u0127\\u0131\\u0138\\u0142\\u014b\\u0153\\u0167\\u0180\\u0183\\u0188\\u018c\\u0192\\u0195\\u0199-\\u019a\\u019e\\u01a3\\u01a5\\u01ab\\u01ad\\u01b4\\u01b6\\u01e5\\u0221\\u0225\\u0234-\\u0239\\u023c\\u023f-\\u0240\\u0247\\u0249\\u024d\\u024f\\u0253-\\u0257\\u0259\\u025b\\u025f-\\u0262\\u0266-\\u026d\\u0271-\\u0274\\u0276\\u027c-\\u027e\\u0280\\u0282\\u0288-\\u0289\\u028b\\u028f-\\u0291\\u0299\\u029b-\\u029d\\u029f-\\u02a0\\u02a3\\u02a5-\\u02a6\\u02aa-\\u02ab\\u03c2\\u0629\\u0643\\u0649\\u0660-\\u0669\\u0671-\\u0673\\u06cc\\u06f0-\\u06f9\\u0773-\\u0774\\u07c0-\\u07c9\\u0870-\\u0882\\u08ad\\u0966-\\u096f\\u09e6-\\u09ef\\u0a66-\\u0a6f\\u0ae6-\\u0aef\\u0b66-\\u0b6f\\u0be6-\\u0bef\\u0c66-\\u0c6f\\u0ce6-\\u0cef\\u0d66-\\u0d6f\\u0de6-\\u0def\\u0e50-\\u0e59\\u0ed0-\\u0ed9\\u0f20-\\u0f29\\u1040-\\u1049\\u1090-\\u1099\\u17e0-\\u17e9\\u1810-\\u1819\\u1946-\\u194f\\u19d0-\\u19d9\\u1a80-\\u1a89\\u1a90-\\u1a99\\u1b50-\\u1b59\\u1bb0-\\u1bb9\\u1c40-\\u1c49\\u1c50-\\u1c59\\u1c89\\u1d00-\\u1d01\\u1d03-\\u1d07\\u1d0a-\\u1d0d\\u1d0f\\u1d18\\u1d1b-\\u1d1c\\u1d20-\\u1d22\\u1d6b-\\u1d76\\u1d7a-\\u1d7b\\u1d7d-\\u1d7e\\u1d80-\\u1d8a\\u1d8c-\\u1d8f\\u1d91-\\u1d93\\u1d96\\u1d99\\u1e9c-\\u1e9d\\u1efb\\u1efd\\u1eff\\u2c61\\u2c65-\\u2c66\\u2c68\\u2c6a\\u2c6c\\u2c71\\u2c73-\\u2c74\\u2c78\\u2c7a\\u30f5-\\u30f6\\ua620-\\ua629\\ua730-\\ua731\\ua733\\ua735\\ua737\\ua739\\ua73b\\ua73d\\ua741\\ua743\\ua745\\ua747\\ua749\\ua74b\\ua74d\\ua74f\\ua751\\ua753\\ua755\\ua757\\ua759\\ua75f\\ua761\\ua765\\ua767\\ua771-\\ua777\\ua77a\\ua77c\\ua787\\ua791\\ua793\\ua7a1\\ua7a3\\ua7a5\\ua7a7\\ua7a9\\ua7cb-\\ua7cc\\ua7ce\\ua7d0\\ua7d2\\ua7d4\\ua7d6\\ua7d8\\ua7da\\ua7dc\\ua7f1\\ua8d0-\\ua8d9\\ua900-\\ua909\\ua9d0-\\ua9d9\\ua9f0-\\ua9f9\\uaa50-\\uaa59\\uabf0-\\uabf9\\U000104a0-\\U000104a9\\U00010d30-\\U00010d39\\U00010d40-\\U00010d49\\U00010d50-\\U00010d65\\U00011066-\\U0001106f\\U000110f0-\\U000110f9\\U00011136-\\U0001113f\\U000111d0-\\U000111d9\\U000112f0-\\U000112f9\\U00011450-\\U00011459\\U000114d0-\\U000114d9\\U00011650-\\U00011659\\U000116c0-\\U000116c9\\U000116d0-\\U000116e3\\U00011730-\\U00011739\\U000118e0-\\U000118e9\\U00011950-\\U00011959\\U00011bf0-\\U00011bf9\\U00011c50-\\U00011c59\\U00011d50-\\U00011d59\\U00011da0-\\U00011da9\\U00011de0-\\U00011de9\\U00011f50-\\U00011f59\\U00016130-\\U00016139\\U00016a60-\\U00016a69\\U00016ac0-\\U00016ac9\\U00016b50-\\U00016b59\\U00016d70-\\U00016d79\\U00016ea0-\\U00016eb8\\U0001ccd6-\\U0001ccf9\\U0001e030-\\U0001e06d\\U0001e140-\\U0001e149\\U0001e2f0-\\U0001e2f9\\U0001e4f0-\\U0001e4f9\\U0001e5f1-\\U0001e5fa\\U0001e950-\\U0001e959]' THEN
    folded := translate(folded, E'\u03c2łđðøħıŧŋəɔ\u0643\u06cc\u0649\u0629\u0671\u0672\u0673\u30f6\u30f5',
                                E'\u03c3lddohitneo\u06a9\u064a\u064a\u0647\u0627\u0627\u0627\u30b1\u30ab');
    folded := replace(replace(replace(replace(folded, 'æ', 'ae'), 'þ', 'th'), 'ß', 'ss'), 'œ', 'oe');
    IF folded ~ E'[\\u0138\\u0180\\u0183\\u0188\\u018c\\u0192\\u0195\\u0199-\\u019a\\u019e\\u01a3\\u01a5\\u01ab\\u01ad\\u01b4\\u01b6\\u01e5\\u0221\\u0225\\u0234-\\u0239\\u023c\\u023f-\\u0240\\u0247\\u0249\\u024d\\u024f\\u0253\\u0255-\\u0257\\u025b\\u025f-\\u0262\\u0266-\\u026d\\u0271-\\u0274\\u0276\\u027c-\\u027e\\u0280\\u0282\\u0288-\\u0289\\u028b\\u028f-\\u0291\\u0299\\u029b-\\u029d\\u029f-\\u02a0\\u02a3\\u02a5-\\u02a6\\u02aa-\\u02ab\\u0773-\\u0774\\u0870-\\u0882\\u08ad\\u1c89\\u1d00-\\u1d01\\u1d03-\\u1d07\\u1d0a-\\u1d0d\\u1d0f\\u1d18\\u1d1b-\\u1d1c\\u1d20-\\u1d22\\u1d6b-\\u1d76\\u1d7a-\\u1d7b\\u1d7d-\\u1d7e\\u1d80-\\u1d8a\\u1d8c-\\u1d8f\\u1d91-\\u1d93\\u1d96\\u1d99\\u1e9c-\\u1e9d\\u1efb\\u1efd\\u1eff\\u2c61\\u2c65-\\u2c66\\u2c68\\u2c6a\\u2c6c\\u2c71\\u2c73-\\u2c74\\u2c78\\u2c7a\\ua730-\\ua731\\ua733\\ua735\\ua737\\ua739\\ua73b\\ua73d\\ua741\\ua743\\ua745\\ua747\\ua749\\ua74b\\ua74d\\ua74f\\ua751\\ua753\\ua755\\ua757\\ua759\\ua75f\\ua761\\ua765\\ua767\\ua771-\\ua777\\ua77a\\ua77c\\ua787\\ua791\\ua793\\ua7a1\\ua7a3\\ua7a5\\ua7a7\\ua7a9\\ua7cb-\\ua7cc\\ua7ce\\ua7d0\\ua7d2\\ua7d4\\ua7d6\\ua7d8\\ua7da\\ua7dc\\ua7f1\\U00010d50-\\U00010d65\\U00016ea0-\\U00016eb8\\U0001ccd6-\\U0001ccf9\\U0001e030-\\U0001e06d]' THEN
      folded := translate(folded,
        E'ɩ\u0773\u0774\u08ad\u0870\u0871\u0872\u0873\u0874\u0875\u0876\u0877\u0878\u0879\u087a\u087b\u087c\u087d\u087e\u087f\u0880\u0881\u0882ĸƀɓƃƈɖɗƌɛƒɠɨƙƚɲƞƥʀƫƭʈʋƴƶǥȡȥȴȵȶȷⱥȼⱦȿɀʉɇɉɍɏɕɟɡɢɦɧɪɫɬɭɱɳɴɼɽɾʂʏʐʑʙʛʜʝʟʠᴀᴃᴄᴅᴆᴇᴊᴋᴌᴍᴏᴘᴛᴜᴠᴡᴢᵬᵭᵮᵯᵰᵱᵲᵳᵴᵵᵶᵻᵽᵾᶀᶁᶂᶃᶄᶅᶆᶇᶈᶉᶊᶌᶍᶎᶏᶑᶒᶓᶖᶙẜẝỽỿⱡⱨⱪⱬⱱⱳⱴⱸⱺꜰꜱꝁꝃꝅꝇꝉꝋꝍꝑꝓꝕꝗꝙꝟꝱꝲꝳꝴꝵꝶꝷꝺꝼꞇꞑꞓꞡꞣꞥꞧꞩ\u1c89ꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜ꟱\U00010d50\U00010d51\U00010d52\U00010d53\U00010d54\U00010d55\U00010d56\U00010d57\U00010d58\U00010d59\U00010d5a\U00010d5b\U00010d5c\U00010d5d\U00010d5e\U00010d5f\U00010d60\U00010d61\U00010d62\U00010d63\U00010d64\U00010d65\U00016ea0\U00016ea1\U00016ea2\U00016ea3\U00016ea4\U00016ea5\U00016ea6\U00016ea7\U00016ea8\U00016ea9\U00016eaa\U00016eab\U00016eac\U00016ead\U00016eae\U00016eaf\U00016eb0\U00016eb1\U00016eb2\U00016eb3\U00016eb4\U00016eb5\U00016eb6\U00016eb7\U00016eb8\U0001ccd6\U0001ccd7\U0001ccd8\U0001ccd9\U0001ccda\U0001ccdb\U0001ccdc\U0001ccdd\U0001ccde\U0001ccdf\U0001cce0\U0001cce1\U0001cce2\U0001cce3\U0001cce4\U0001cce5\U0001cce6\U0001cce7\U0001cce8\U0001cce9\U0001ccea\U0001cceb\U0001ccec\U0001cced\U0001ccee\U0001ccef\U0001ccf0\U0001ccf1\U0001ccf2\U0001ccf3\U0001ccf4\U0001ccf5\U0001ccf6\U0001ccf7\U0001ccf8\U0001ccf9\U0001e030\U0001e031\U0001e032\U0001e033\U0001e034\U0001e035\U0001e036\U0001e037\U0001e038\U0001e039\U0001e03a\U0001e03b\U0001e03c\U0001e03d\U0001e03e\U0001e03f\U0001e040\U0001e041\U0001e042\U0001e043\U0001e044\U0001e045\U0001e046\U0001e047\U0001e048\U0001e049\U0001e04a\U0001e04b\U0001e04c\U0001e04d\U0001e04e\U0001e04f\U0001e050\U0001e051\U0001e052\U0001e053\U0001e054\U0001e055\U0001e056\U0001e057\U0001e058\U0001e059\U0001e05a\U0001e05b\U0001e05c\U0001e05d\U0001e05e\U0001e05f\U0001e060\U0001e061\U0001e062\U0001e063\U0001e064\U0001e065\U0001e066\U0001e067\U0001e068\U0001e069\U0001e06a\U0001e06b\U0001e06c\U0001e06d',
        E'i\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627\u0627qbbbcdddefgiklnnprtttvyzgdzlntjactszuejrycjgghhilllmnnrrrsyzzbghjlqabcddejklmoptuvwzbdfmnprrstzipubdfgklmnprsvxzadeeiussvylhkzvwveofskkklloopppqqvdlmnrrtdftncgknrs\u1c8aɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛs\U00010d70\U00010d71\U00010d72\U00010d73\U00010d74\U00010d75\U00010d76\U00010d77\U00010d78\U00010d79\U00010d7a\U00010d7b\U00010d7c\U00010d7d\U00010d7e\U00010d7f\U00010d80\U00010d81\U00010d82\U00010d83\U00010d84\U00010d85\U00016ebb\U00016ebc\U00016ebd\U00016ebe\U00016ebf\U00016ec0\U00016ec1\U00016ec2\U00016ec3\U00016ec4\U00016ec5\U00016ec6\U00016ec7\U00016ec8\U00016ec9\U00016eca\U00016ecb\U00016ecc\U00016ecd\U00016ece\U00016ecf\U00016ed0\U00016ed1\U00016ed2\U00016ed3abcdefghijklmnopqrstuvwxyz0123456789\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u043a\u043b\u043c\u043e\u043f\u0440\u0441\u0442\u0443\u0444\u0445\u0446\u0447\u0448\u044b\u044d\u044e\ua689\u04d9\u0456\u0458\u04e9\u04af\u04cf\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u043a\u043b\u043e\u043f\u0441\u0443\u0444\u0445\u0446\u0447\u0448\u044a\u044b\u0491\u0456\u0455\u045f\u04ab\ua651\u04b1');
      FOREACH pair IN ARRAY string_to_array('ƕhv ƣoi ȸdb ȹqp ɶoe ʣdz ʥdz ʦts ʪls ʫlz ᴁae ᵫue ᵺth ỻll ꜳaa ꜵao ꜷau ꜹav ꜻav ꜽay ꝏoo ꝡvy ꝥth ꝧth', ' ') LOOP
        folded := replace(folded, left(pair, 1), substr(pair, 2));
      END LOOP;
    END IF;
    LOOP
      digit := substring(folded FROM E'[\\u0660-\\u0669\\u06f0-\\u06f9\\u07c0-\\u07c9\\u0966-\\u096f\\u09e6-\\u09ef\\u0a66-\\u0a6f\\u0ae6-\\u0aef\\u0b66-\\u0b6f\\u0be6-\\u0bef\\u0c66-\\u0c6f\\u0ce6-\\u0cef\\u0d66-\\u0d6f\\u0de6-\\u0def\\u0e50-\\u0e59\\u0ed0-\\u0ed9\\u0f20-\\u0f29\\u1040-\\u1049\\u1090-\\u1099\\u17e0-\\u17e9\\u1810-\\u1819\\u1946-\\u194f\\u19d0-\\u19d9\\u1a80-\\u1a89\\u1a90-\\u1a99\\u1b50-\\u1b59\\u1bb0-\\u1bb9\\u1c40-\\u1c49\\u1c50-\\u1c59\\ua620-\\ua629\\ua8d0-\\ua8d9\\ua900-\\ua909\\ua9d0-\\ua9d9\\ua9f0-\\ua9f9\\uaa50-\\uaa59\\uabf0-\\uabf9\\U000104a0-\\U000104a9\\U00010d30-\\U00010d39\\U00010d40-\\U00010d49\\U00011066-\\U0001106f\\U000110f0-\\U000110f9\\U00011136-\\U0001113f\\U000111d0-\\U000111d9\\U000112f0-\\U000112f9\\U00011450-\\U00011459\\U000114d0-\\U000114d9\\U00011650-\\U00011659\\U000116c0-\\U000116c9\\U000116d0-\\U000116e3\\U00011730-\\U00011739\\U000118e0-\\U000118e9\\U00011950-\\U00011959\\U00011bf0-\\U00011bf9\\U00011c50-\\U00011c59\\U00011d50-\\U00011d59\\U00011da0-\\U00011da9\\U00011de0-\\U00011de9\\U00011f50-\\U00011f59\\U00016130-\\U00016139\\U00016a60-\\U00016a69\\U00016ac0-\\U00016ac9\\U00016b50-\\U00016b59\\U00016d70-\\U00016d79\\U0001e140-\\U0001e149\\U0001e2f0-\\U0001e2f9\\U0001e4f0-\\U0001e4f9\\U0001e5f1-\\U0001e5fa\\U0001e950-\\U0001e959]');
      EXIT WHEN digit IS NULL;
      folded := replace(folded, digit, ((strpos(
        E'\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9\u07c0\u07c1\u07c2\u07c3\u07c4\u07c5\u07c6\u07c7\u07c8\u07c9\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f\u09e6\u09e7\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee\u09ef\u0a66\u0a67\u0a68\u0a69\u0a6a\u0a6b\u0a6c\u0a6d\u0a6e\u0a6f\u0ae6\u0ae7\u0ae8\u0ae9\u0aea\u0aeb\u0aec\u0aed\u0aee\u0aef\u0b66\u0b67\u0b68\u0b69\u0b6a\u0b6b\u0b6c\u0b6d\u0b6e\u0b6f\u0be6\u0be7\u0be8\u0be9\u0bea\u0beb\u0bec\u0bed\u0bee\u0bef\u0c66\u0c67\u0c68\u0c69\u0c6a\u0c6b\u0c6c\u0c6d\u0c6e\u0c6f\u0ce6\u0ce7\u0ce8\u0ce9\u0cea\u0ceb\u0cec\u0ced\u0cee\u0cef\u0d66\u0d67\u0d68\u0d69\u0d6a\u0d6b\u0d6c\u0d6d\u0d6e\u0d6f\u0de6\u0de7\u0de8\u0de9\u0dea\u0deb\u0dec\u0ded\u0dee\u0def\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59\u0ed0\u0ed1\u0ed2\u0ed3\u0ed4\u0ed5\u0ed6\u0ed7\u0ed8\u0ed9\u0f20\u0f21\u0f22\u0f23\u0f24\u0f25\u0f26\u0f27\u0f28\u0f29\u1040\u1041\u1042\u1043\u1044\u1045\u1046\u1047\u1048\u1049\u1090\u1091\u1092\u1093\u1094\u1095\u1096\u1097\u1098\u1099\u17e0\u17e1\u17e2\u17e3\u17e4\u17e5\u17e6\u17e7\u17e8\u17e9\u1810\u1811\u1812\u1813\u1814\u1815\u1816\u1817\u1818\u1819\u1946\u1947\u1948\u1949\u194a\u194b\u194c\u194d\u194e\u194f\u19d0\u19d1\u19d2\u19d3\u19d4\u19d5\u19d6\u19d7\u19d8\u19d9\u1a80\u1a81\u1a82\u1a83\u1a84\u1a85\u1a86\u1a87\u1a88\u1a89\u1a90\u1a91\u1a92\u1a93\u1a94\u1a95\u1a96\u1a97\u1a98\u1a99\u1b50\u1b51\u1b52\u1b53\u1b54\u1b55\u1b56\u1b57\u1b58\u1b59\u1bb0\u1bb1\u1bb2\u1bb3\u1bb4\u1bb5\u1bb6\u1bb7\u1bb8\u1bb9\u1c40\u1c41\u1c42\u1c43\u1c44\u1c45\u1c46\u1c47\u1c48\u1c49\u1c50\u1c51\u1c52\u1c53\u1c54\u1c55\u1c56\u1c57\u1c58\u1c59\ua620\ua621\ua622\ua623\ua624\ua625\ua626\ua627\ua628\ua629\ua8d0\ua8d1\ua8d2\ua8d3\ua8d4\ua8d5\ua8d6\ua8d7\ua8d8\ua8d9\ua900\ua901\ua902\ua903\ua904\ua905\ua906\ua907\ua908\ua909\ua9d0\ua9d1\ua9d2\ua9d3\ua9d4\ua9d5\ua9d6\ua9d7\ua9d8\ua9d9\ua9f0\ua9f1\ua9f2\ua9f3\ua9f4\ua9f5\ua9f6\ua9f7\ua9f8\ua9f9\uaa50\uaa51\uaa52\uaa53\uaa54\uaa55\uaa56\uaa57\uaa58\uaa59\uabf0\uabf1\uabf2\uabf3\uabf4\uabf5\uabf6\uabf7\uabf8\uabf9\U000104a0\U000104a1\U000104a2\U000104a3\U000104a4\U000104a5\U000104a6\U000104a7\U000104a8\U000104a9\U00010d30\U00010d31\U00010d32\U00010d33\U00010d34\U00010d35\U00010d36\U00010d37\U00010d38\U00010d39\U00010d40\U00010d41\U00010d42\U00010d43\U00010d44\U00010d45\U00010d46\U00010d47\U00010d48\U00010d49\U00011066\U00011067\U00011068\U00011069\U0001106a\U0001106b\U0001106c\U0001106d\U0001106e\U0001106f\U000110f0\U000110f1\U000110f2\U000110f3\U000110f4\U000110f5\U000110f6\U000110f7\U000110f8\U000110f9\U00011136\U00011137\U00011138\U00011139\U0001113a\U0001113b\U0001113c\U0001113d\U0001113e\U0001113f\U000111d0\U000111d1\U000111d2\U000111d3\U000111d4\U000111d5\U000111d6\U000111d7\U000111d8\U000111d9\U000112f0\U000112f1\U000112f2\U000112f3\U000112f4\U000112f5\U000112f6\U000112f7\U000112f8\U000112f9\U00011450\U00011451\U00011452\U00011453\U00011454\U00011455\U00011456\U00011457\U00011458\U00011459\U000114d0\U000114d1\U000114d2\U000114d3\U000114d4\U000114d5\U000114d6\U000114d7\U000114d8\U000114d9\U00011650\U00011651\U00011652\U00011653\U00011654\U00011655\U00011656\U00011657\U00011658\U00011659\U000116c0\U000116c1\U000116c2\U000116c3\U000116c4\U000116c5\U000116c6\U000116c7\U000116c8\U000116c9\U000116d0\U000116d1\U000116d2\U000116d3\U000116d4\U000116d5\U000116d6\U000116d7\U000116d8\U000116d9\U000116da\U000116db\U000116dc\U000116dd\U000116de\U000116df\U000116e0\U000116e1\U000116e2\U000116e3\U00011730\U00011731\U00011732\U00011733\U00011734\U00011735\U00011736\U00011737\U00011738\U00011739\U000118e0\U000118e1\U000118e2\U000118e3\U000118e4\U000118e5\U000118e6\U000118e7\U000118e8\U000118e9\U00011950\U00011951\U00011952\U00011953\U00011954\U00011955\U00011956\U00011957\U00011958\U00011959\U00011bf0\U00011bf1\U00011bf2\U00011bf3\U00011bf4\U00011bf5\U00011bf6\U00011bf7\U00011bf8\U00011bf9\U00011c50\U00011c51\U00011c52\U00011c53\U00011c54\U00011c55\U00011c56\U00011c57\U00011c58\U00011c59\U00011d50\U00011d51\U00011d52\U00011d53\U00011d54\U00011d55\U00011d56\U00011d57\U00011d58\U00011d59\U00011da0\U00011da1\U00011da2\U00011da3\U00011da4\U00011da5\U00011da6\U00011da7\U00011da8\U00011da9\U00011de0\U00011de1\U00011de2\U00011de3\U00011de4\U00011de5\U00011de6\U00011de7\U00011de8\U00011de9\U00011f50\U00011f51\U00011f52\U00011f53\U00011f54\U00011f55\U00011f56\U00011f57\U00011f58\U00011f59\U00016130\U00016131\U00016132\U00016133\U00016134\U00016135\U00016136\U00016137\U00016138\U00016139\U00016a60\U00016a61\U00016a62\U00016a63\U00016a64\U00016a65\U00016a66\U00016a67\U00016a68\U00016a69\U00016ac0\U00016ac1\U00016ac2\U00016ac3\U00016ac4\U00016ac5\U00016ac6\U00016ac7\U00016ac8\U00016ac9\U00016b50\U00016b51\U00016b52\U00016b53\U00016b54\U00016b55\U00016b56\U00016b57\U00016b58\U00016b59\U00016d70\U00016d71\U00016d72\U00016d73\U00016d74\U00016d75\U00016d76\U00016d77\U00016d78\U00016d79\U0001e140\U0001e141\U0001e142\U0001e143\U0001e144\U0001e145\U0001e146\U0001e147\U0001e148\U0001e149\U0001e2f0\U0001e2f1\U0001e2f2\U0001e2f3\U0001e2f4\U0001e2f5\U0001e2f6\U0001e2f7\U0001e2f8\U0001e2f9\U0001e4f0\U0001e4f1\U0001e4f2\U0001e4f3\U0001e4f4\U0001e4f5\U0001e4f6\U0001e4f7\U0001e4f8\U0001e4f9\U0001e5f1\U0001e5f2\U0001e5f3\U0001e5f4\U0001e5f5\U0001e5f6\U0001e5f7\U0001e5f8\U0001e5f9\U0001e5fa\U0001e950\U0001e951\U0001e952\U0001e953\U0001e954\U0001e955\U0001e956\U0001e957\U0001e958\U0001e959',
        digit) - 1) % 10)::text);
    END LOOP;
  END IF;
  RETURN btrim(normalize(folded, NFC), ' ');
END $$;
COMMENT ON FUNCTION fold_name(text) IS
  'Folds a text for searches: NFKC, lower case, letters and digits as people type them, without marks, apostrophes and invisible characters, punctuation as spaces.';

ALTER TABLE items ADD COLUMN folded_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_name(name)) STORED;

-- For fold_keywords().
CREATE FUNCTION fold_each_keyword(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT E'\n' || coalesce(string_agg(fold_name(keyword), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n));
COMMENT ON FUNCTION fold_each_keyword(text[]) IS 'The folded keywords of an item that has some, with line breaks around each.';

-- The folded keywords, each between line breaks. No keyword contains one, so a text between two of them is a whole keyword. Not STRICT and
-- without a subquery, so that PostgreSQL writes its body into statements: the call takes 6 µs, and most items have no keywords.
CREATE FUNCTION fold_keywords(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keywords = '{}' THEN '' ELSE fold_each_keyword(keywords) END;
COMMENT ON FUNCTION fold_keywords(text[]) IS 'Folds each keyword as fold_name() does, and puts line breaks around each.';

ALTER TABLE items
  ADD COLUMN keywords text[] NOT NULL DEFAULT '{}',
  ADD COLUMN folded_keywords text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_keywords(keywords)) STORED,
  ADD CONSTRAINT items_keywords_are_a_list
    CHECK (coalesce(array_ndims(keywords), 1) = 1 AND array_position(keywords, NULL) IS NULL);

COMMENT ON COLUMN items.folded_name IS 'The name as fold_name() gives it.';
COMMENT ON COLUMN items.keywords IS 'Alternative names and codes of the place.';
COMMENT ON COLUMN items.folded_keywords IS 'The keywords as fold_keywords() gives them.';

-- The pairs of adjacent characters of a folded name, without white space, and its characters but for the Latin letters that most names
-- have. A character is its code point, and a pair (first << 21) | second: numbers take two thirds of the time and space of texts. The cost
-- says that this is 1,000 times as expensive as a comparison. So PostgreSQL uses the index of grams beside those of filters, and takes no
-- names apart again.
CREATE FUNCTION name_grams(folded_name text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  grams    bigint[] := '{}';
  previous bigint := 32;
  current  bigint;
  letter   text;
BEGIN
  FOREACH letter IN ARRAY string_to_array(folded_name, NULL) LOOP
    current := ascii(letter);
    IF current <> 32 THEN
      IF previous <> 32 THEN grams := grams || ((previous << 21) | current); END IF;
      IF strpos('abcdefghiklmnoprstuy', letter) = 0 THEN grams := grams || current; END IF;
    END IF;
    previous := current;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION name_grams(text) IS
  'The pairs of adjacent characters of a folded name as numbers, and its characters but for frequent letters, without white space.';

-- The grams of the name and of the keywords. A line break becomes a space, so no gram belongs to two of them.
CREATE FUNCTION item_grams(folded_name text, folded_keywords text) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN name_grams(folded_name || translate(folded_keywords, E'\n', ' '));
COMMENT ON FUNCTION item_grams(text, text) IS 'The grams of the folded name and of each folded keyword of an item.';
-- searchItems and /search: the items whose name or keywords contain a text.
CREATE INDEX items_grams_idx ON items USING gin (item_grams(folded_name, folded_keywords));

-- Suggestions: names that were probably meant by a text with misspelt words.

-- The letters of a folded text: Hangul syllables as their letters (NFD), and kana without their voicing marks. Line breaks stay.
-- Not STRICT, so that PostgreSQL writes its body into statements and indexes. As in fold_name(), no setting changes the body.
CREATE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE
  WHEN octet_length(folded) = char_length(folded) THEN folded
  ELSE translate(normalize(folded, NFD), E'\u3099\u309a', '')
END $$;
COMMENT ON FUNCTION letters_of(text) IS 'The letters of a folded text: Hangul by its letters, kana without voicing marks.';

-- The grams of the name and of each keyword: three adjacent letters of a word in the order of their code points, with two spaces before
-- the word and one after it. So two swapped letters change few grams. Then each whole keyword, after an equals sign. And the length of the
-- name after a line break, 100 for longer names: a statement reads the shortest of many names that share grams.
-- It sets a search_path, because a function in an index runs with that of the session, which may lack this schema.
CREATE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  letters text := letters_of(folded_name || folded_keywords);
  grams   text[] := ARRAY[E'\n' || least(length(folded_name), 100)];
  letter  text;
  keyword text;
  -- Code points, not texts: a comparison takes less.
  first   integer := 32;
  second  integer := 32;
  third   integer;
BEGIN
  FOREACH letter IN ARRAY string_to_array(replace(translate(letters, E'\n', ' '), ' ', '  ') || ' ', NULL) LOOP
    third := ascii(letter);
    IF second <> 32 OR third <> 32 THEN
      grams := grams || (chr(least(first, second, third))
                         || chr(first + second + third - least(first, second, third) - greatest(first, second, third))
                         || chr(greatest(first, second, third)));
    END IF;
    first := second;
    second := third;
  END LOOP;
  FOREACH keyword IN ARRAY (string_to_array(letters, E'\n'))[2:] LOOP
    grams := grams || ('=' || left(keyword, 50));
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each whole keyword, and the length of the name.';
-- Suggestions: the items that share grams with a text, the shortest names first.
CREATE INDEX items_letter_grams_idx ON items USING gin (letter_grams(folded_name, folded_keywords));
-- Suggestions: the items whose names begin with a text.
CREATE INDEX items_letters_idx ON items (dataset_id, left(letters_of(folded_name), 50) COLLATE "C", id);

-- A gateway listens for changes while it applies this. It could not read primary_mark before, so it tries again after a notification.
SELECT pg_notify('catalog', 'everything');
