-- The database of the catalog, in four chapters:
--
--   1. tables and indexes: datasets, their items and images, keys, and the history of changes
--   2. counts: how many items each list, cube of space and map tile has, which triggers keep
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
  source_date      text CHECK (source_date ~ '^\d{4}-\d{2}-\d{2}$'),
  update_frequency text,

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

-- Chapters 2 and 4 add the columns that are computed: cube, tile_cell, folded_name and folded_keywords.
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
CREATE INDEX items_dataset_id_parent_item_id_name_id_idx ON items (dataset_id, parent_item_id, name, id);
-- The items without a parent, by name. IS NULL on the index above gives no order.
CREATE INDEX items_roots_dataset_id_name_id_idx ON items (dataset_id, name, id) WHERE parent_item_id IS NULL;
-- A search by text in a circle, where few items are in the circle.
CREATE INDEX items_location_idx ON items USING gist (location);

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
-- Triggers on items count them: in each list that clients can ask for, so a total costs nothing; in each cube of space, so a search near
-- a point adds up the cubes in the circle; and in each map tile, so a tile with many items reads counts. The trigger that runs before
-- (chapter 3) locks the datasets of the changed items, so no other transaction changes the same counts.
--
-- Each function of a trigger has its own search_path. So it finds the tables of the catalog, whatever the session has set, and
-- whichever temporary tables it has: pg_temp is last, because PostgreSQL otherwise searches it first. cube_of() and tile_cell_of() use
-- nothing but built-in functions and run for each row; a search_path would cost cube_of() 60 % more time.

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

-- The cube of 128 metres that contains a point on the WGS 84 ellipsoid, in earth-centred, earth-fixed coordinates: there are no poles
-- and no antimeridian in space. The number of a cube begins with the number of the cube of 65,536 metres around it. Then each of the
-- levels of 8,192, 1,024 and 128 metres adds nine bits, three for each axis.
CREATE FUNCTION cube_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  phi    float8 := radians(latitude::float8);
  lambda float8 := radians(longitude::float8);
  e2     CONSTANT float8 := 0.0066943799901413165;
  normal float8 := 6378137 / sqrt(1 - e2 * sin(phi) ^ 2);
  x      bigint := floor((normal * cos(phi) * cos(lambda) + 8388608) / 128);
  y      bigint := floor((normal * cos(phi) * sin(lambda) + 8388608) / 128);
  z      bigint := floor((normal * (1 - e2) * sin(phi) + 8388608) / 128);
BEGIN
  -- These operators have no precedence among each other.
  RETURN (((x >> 9) << 43) | ((y >> 9) << 35) | ((z >> 9) << 27))
       | ((((x >> 6) & 7) << 24) | (((y >> 6) & 7) << 21) | (((z >> 6) & 7) << 18))
       | ((((x >> 3) & 7) << 15) | (((y >> 3) & 7) << 12) | (((z >> 3) & 7) << 9))
       | (((x & 7) << 6) | ((y & 7) << 3) | (z & 7));
END $$;
COMMENT ON FUNCTION cube_of(numeric, numeric) IS
  'Cell of the ECEF grid that contains a point on WGS 84. src/catalog/sql/ecef-grid.ts reads the number.';

ALTER TABLE items ADD COLUMN cube bigint NOT NULL GENERATED ALWAYS AS (cube_of(latitude, longitude)) STORED;
-- Nearby searches: the items in the cubes at the edge of the circle. With the codes, a statement counts the items of a filter in a cube
-- and reads only the index.
CREATE INDEX items_dataset_id_cube_idx ON items (dataset_id, cube, category_code, administrative_area_code);

-- Nearby searches add up the cubes in the circle. The primary key finds a cube for all datasets.
CREATE TABLE cube_counts (
  level      smallint NOT NULL,
  cube       bigint NOT NULL,
  dataset_id uuid NOT NULL,
  n          integer NOT NULL,

  PRIMARY KEY (level, cube, dataset_id)
);
-- The trigger deletes the counts of 0.
CREATE INDEX cube_counts_none_left ON cube_counts (dataset_id) WHERE n = 0;

COMMENT ON COLUMN items.cube IS 'Cell of the ECEF grid, 128 metres wide, as cube_of() computes it.';
COMMENT ON TABLE cube_counts IS
  'Number of items of each dataset in each cell of the ECEF grid. Triggers on items maintain it.';
COMMENT ON COLUMN cube_counts.level IS '0, 1, 2 and 3: cells that are 128, 1,024, 8,192 and 65,536 metres wide.';

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1). A change is counted in all lists and in all cubes that contain the
-- item. Counts of 0 are deleted.
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  columns CONSTANT text := 'dataset_id, parent_item_id, administrative_area_code, category_code, cube';
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

  EXECUTE format($sql$
    WITH changed AS (
      SELECT dataset_id, cube, sum(sign) AS sign
        FROM (%s) AS change GROUP BY 1, 2 HAVING sum(sign) <> 0
    )
    INSERT INTO cube_counts AS current (level, cube, dataset_id, n)
    SELECT level, cube >> 9 * level, dataset_id, sum(sign)
      FROM changed CROSS JOIN generate_series(0, 3) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
        ON CONFLICT (level, cube, dataset_id) DO UPDATE SET n = current.n + excluded.n
  $sql$, changes);
  DELETE FROM cube_counts WHERE n = 0 AND dataset_id = ANY (ids);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_items() IS 'Trigger function: updates item_counts and cube_counts after a change to items.';
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
  DELETE FROM cube_counts;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_items() IS 'Trigger function: empties item_counts and cube_counts after TRUNCATE items.';
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

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in the tiles of all four zooms.
CREATE FUNCTION count_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, tile_cell FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, tile_cell FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE '
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, tile_cell, sum(sign) AS n,
             sum(sign) * even_bits(tile_cell) AS x, sum(sign) * even_bits(tile_cell >> 1) AS y
        FROM (' || changed || ') AS changed GROUP BY dataset_id, tile_cell HAVING sum(sign) <> 0
    )
    INSERT INTO tile_counts AS kept (dataset_id, level, cell, n, sum_x, sum_y)
    SELECT dataset_id, level, tile_cell >> 60 - 2 * level, sum(n), sum(x), sum(y)
      FROM changed CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
     GROUP BY 1, 2, 3 HAVING sum(n) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
     ORDER BY 1, 2, 3
        ON CONFLICT (dataset_id, level, cell) DO UPDATE
       SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y';
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_tiles() IS 'Trigger function: updates tile_counts after a change to items.';
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
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_no_tiles() IS 'Trigger function: empties tile_counts after TRUNCATE items.';
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
END $$;
COMMENT ON FUNCTION recount_tiles() IS 'Counts the items of all tiles again. recount_items() calls it.';

-- For an operator who changed items with triggers disabled. It moves all revisions, because cached responses and totals may have been
-- made from wrong counts.
CREATE FUNCTION recount_items() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  LOCK TABLE items IN SHARE ROW EXCLUSIVE MODE;
  PERFORM touch_datasets(ARRAY(SELECT id FROM datasets));
  PERFORM pg_notify('catalog', 'everything');
  DELETE FROM item_counts;
  INSERT INTO item_counts (dataset_id, list, n)
  SELECT dataset_id, list_name(among, administrative_area_code, category_code), count(*)
    FROM items
   CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
   GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
  HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3;
  DELETE FROM cube_counts;
  INSERT INTO cube_counts (level, cube, dataset_id, n)
  SELECT level, cube >> 9 * level, dataset_id, count(*)
    FROM items CROSS JOIN generate_series(0, 3) AS level GROUP BY 1, 2, 3;
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

-- One call of touch_datasets() for the old and the new datasets: two calls would lock a high id before a low one, and two opposite moves
-- would wait for each other. INSERT has no old_rows and DELETE has no new_rows.
CREATE FUNCTION items_touch_dataset() RETURNS trigger LANGUAGE plpgsql
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
BEGIN
  IF TG_OP = 'INSERT' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM new_rows);
  ELSIF TG_OP = 'DELETE' THEN item_ids := ARRAY(SELECT DISTINCT item_id FROM old_rows);
  ELSE item_ids := ARRAY(SELECT item_id FROM old_rows UNION SELECT item_id FROM new_rows);
  END IF;
  PERFORM touch_datasets(ARRAY(SELECT DISTINCT dataset_id FROM items WHERE id = ANY (item_ids)));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION images_touch_dataset() IS 'Trigger function: moves the revisions of the datasets of changed images.';
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
  PERFORM pg_notify('catalog', 'everything');
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_everything() IS
  'Trigger function: moves all revisions and sends "everything" on the channel catalog after TRUNCATE.';
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
-- Searches compare folded texts: without capital letters, and without the marks of Latin, Greek and Cyrillic letters. Indexes have the
-- parts (grams) of the folded names and keywords, so a search finds a part of a name in any script.

-- Folds a text: NFKC, then Unicode lower case, then without the combining marks of Latin, Greek and Cyrillic letters. The marks are
-- separate characters in NFD; NFC composes the others again, for example Hangul. ICU lowers letters in the same way on every server,
-- whatever the locale of the database is. The pattern lists the letters (category L) of the three scripts, and all marks (category M),
-- of Unicode 17, because the patterns of PostgreSQL have no names for them.
CREATE FUNCTION fold_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  -- In ASCII, only the capital letters change.
  WHEN octet_length(name) = char_length(name) THEN lower(name COLLATE "C")
  ELSE normalize(regexp_replace(
    normalize(lower(normalize(name, NFKC) COLLATE "und-x-icu") COLLATE "C", NFD),
    '([\u0041-\u005a\u0061-\u007a\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u02e0-\u02e4\u0370-\u0373\u0376-\u0377\u037a-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03e1\u03f0-\u03f5\u03f7-\u0481\u048a-\u052f\u1c80-\u1c8a\u1d00-\u1dbf\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2071\u207f\u2090-\u209c\u2126\u212a-\u212b\u2132\u214e\u2183-\u2184\u2c60-\u2c7f\ua640-\ua66e\ua67f-\ua69d\ua722-\ua787\ua78b-\ua7dc\ua7f1-\ua7ff\uab30-\uab5a\uab5c-\uab69\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a\U00010780-\U00010785\U00010787-\U000107b0\U000107b2-\U000107ba\U0001df00-\U0001df1e\U0001df25-\U0001df2a\U0001e030-\U0001e06d])[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962-\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7-\u09c8\u09cb-\u09cd\u09d7\u09e2-\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42\u0a47-\u0a48\u0a4b-\u0a4d\u0a51\u0a70-\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9\u0acb-\u0acd\u0ae2-\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c\u0b3e-\u0b44\u0b47-\u0b48\u0b4b-\u0b4d\u0b55-\u0b57\u0b62-\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55-\u0c56\u0c62-\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cc4\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5-\u0cd6\u0ce2-\u0ce3\u0cf3\u0d00-\u0d03\u0d3b-\u0d3c\u0d3e-\u0d44\u0d46-\u0d48\u0d4a-\u0d4d\u0d57\u0d62-\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf\u0df2-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f3f\u0f71-\u0f84\u0f86-\u0f87\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885-\u1886\u18a9\u1920-\u192b\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\u1ab0-\u1add\u1ae0-\u1aeb\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua672\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c-\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a01-\U00010a03\U00010a05-\U00010a06\U00010a0c-\U00010a0f\U00010a38-\U00010a3a\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046\U00011070\U00011073-\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102\U00011127-\U00011134\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0\U000111c9-\U000111cc\U000111ce-\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea\U00011300-\U00011303\U0001133b-\U0001133c\U0001133e-\U00011344\U00011347-\U00011348\U0001134b-\U0001134d\U00011357\U00011362-\U00011363\U00011366-\U0001136c\U00011370-\U00011374\U000113b8-\U000113c0\U000113c2\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2\U000113e1-\U000113e2\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3\U000115af-\U000115b5\U000115b8-\U000115c0\U000115dc-\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U00011935\U00011937-\U00011938\U0001193b-\U0001193e\U00011940\U00011942-\U00011943\U000119d1-\U000119d7\U000119da-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c36\U00011c38-\U00011c3f\U00011c92-\U00011ca7\U00011ca9-\U00011cb6\U00011d31-\U00011d36\U00011d3a\U00011d3c-\U00011d3d\U00011d3f-\U00011d45\U00011d47\U00011d8a-\U00011d8e\U00011d90-\U00011d91\U00011d93-\U00011d97\U00011ef3-\U00011ef6\U00011f00-\U00011f01\U00011f03\U00011f34-\U00011f3a\U00011f3e-\U00011f42\U00011f5a\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f\U00016f51-\U00016f87\U00016f8f-\U00016f92\U00016fe4\U00016ff0-\U00016ff1\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U0001e000-\U0001e006\U0001e008-\U0001e018\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef]+',
    '\1', 'g'), NFC)
END;
COMMENT ON FUNCTION fold_name(text) IS
  'Folds a text for searches: NFKC, lower case, without the marks of Latin, Greek and Cyrillic letters.';

ALTER TABLE items ADD COLUMN folded_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_name(name)) STORED;

-- The folded keywords, each between line breaks. No keyword contains one, so a text between two of them is a whole keyword.
CREATE FUNCTION fold_keywords(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN keywords = '{}' THEN ''
  ELSE (SELECT E'\n' || coalesce(string_agg(translate(fold_name(keyword), E'\n', ' '), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n))
END;
COMMENT ON FUNCTION fold_keywords(text[]) IS 'Folds each keyword as fold_name() does, and puts line breaks around each.';

ALTER TABLE items
  ADD COLUMN keywords text[] NOT NULL DEFAULT '{}',
  ADD COLUMN folded_keywords text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_keywords(keywords)) STORED,
  ADD CONSTRAINT items_keywords_are_a_list
    CHECK (coalesce(array_ndims(keywords), 1) = 1 AND array_position(keywords, NULL) IS NULL);

COMMENT ON COLUMN items.folded_name IS 'The name as fold_name() gives it.';
COMMENT ON COLUMN items.keywords IS 'Alternative names and codes of the place.';
COMMENT ON COLUMN items.folded_keywords IS 'The keywords as fold_keywords() gives them.';

-- The characters of a folded name, and its pairs of adjacent characters, without white space. The cost says that this is 1,000 times as
-- expensive as a comparison. So PostgreSQL uses the index of grams beside those of filters, and takes no names apart again.
CREATE FUNCTION name_grams(folded_name text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  grams    text[] := '{}';
  previous text := ' ';
  current  text;
BEGIN
  FOREACH current IN ARRAY string_to_array(folded_name, NULL) LOOP
    IF current <> ' ' THEN
      grams := grams || current;
      IF previous <> ' ' THEN grams := grams || (previous || current); END IF;
    END IF;
    previous := current;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION name_grams(text) IS 'The characters of a folded name, and its pairs of adjacent characters, without white space.';

-- The grams of the name and of the keywords. A line break becomes a space, so no gram belongs to two of them.
CREATE FUNCTION item_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN name_grams(folded_name || translate(folded_keywords, E'\n', ' '));
COMMENT ON FUNCTION item_grams(text, text) IS 'The grams of the folded name and of each folded keyword of an item.';
-- searchItems and /search: the items whose name or keywords contain a text.
CREATE INDEX items_grams_idx ON items USING gin (item_grams(folded_name, folded_keywords));

-- Suggestions: names that were probably meant by a text with misspelt words.

-- The letters of a folded text: Hangul syllables as their letters (NFD), no marks of vowels in Hebrew, Arabic and kana, and a space for
-- each row of separators. Line breaks stay.
CREATE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
  CASE
    WHEN octet_length(folded) = char_length(folded) THEN folded
    ELSE regexp_replace(normalize(folded, NFD), '[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u3099\u309a]+', '', 'g')
  END,
  '[-\u2010-\u2015 _''\u2018\u2019.,;:()/&"\u00b7]+', ' ', 'g');
COMMENT ON FUNCTION letters_of(text) IS
  'The letters of a folded text: Hangul by its letters, without marks of vowels, a space for each row of separators.';

-- The grams of the name and of each keyword: three adjacent letters of a word in the order of their code points, with two spaces before
-- the word and one after it. So two swapped letters change few grams. Then the whole name and each whole keyword, after an equals sign.
-- And the length of the name after a line break, 100 for longer names: a statement reads the shortest of many names that share grams.
-- It sets a search_path, because a function in an index runs with that of the session, which may lack this schema.
CREATE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  grams  text[] := ARRAY[E'\n' || least(length(folded_name), 100)];
  entry  text COLLATE "C";
  word   text COLLATE "C";
  first  text COLLATE "C";
  second text COLLATE "C";
  third  text COLLATE "C";
BEGIN
  FOREACH entry IN ARRAY string_to_array(letters_of(folded_name || folded_keywords), E'\n') LOOP
    entry := btrim(entry, ' ');
    CONTINUE WHEN entry = '';
    grams := grams || ('=' || left(entry, 50));
    FOREACH word IN ARRAY string_to_array(entry, ' ') LOOP
      first := ' ';
      second := ' ';
      FOREACH third IN ARRAY string_to_array(word || ' ', NULL) LOOP
        grams := grams || (least(first, second, third) || greatest(least(first, second), least(greatest(first, second), third))
                           || greatest(first, second, third));
        first := second;
        second := third;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each of them as a whole, and the length of the name.';
-- Suggestions: the items that share grams with a text, the shortest names first.
CREATE INDEX items_letter_grams_idx ON items USING gin (letter_grams(folded_name, folded_keywords));
-- Suggestions: the items whose names begin with a text.
CREATE INDEX items_letters_idx ON items (dataset_id, left(letters_of(folded_name), 50) COLLATE "C", id);

-- A gateway listens for changes while it applies this. It could not read primary_mark before, so it tries again after a notification.
SELECT pg_notify('catalog', 'everything');
