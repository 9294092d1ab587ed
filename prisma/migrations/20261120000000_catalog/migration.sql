CREATE EXTENSION IF NOT EXISTS postgis;

CREATE TYPE dataset_status AS ENUM ('draft', 'active', 'inactive', 'archived');
CREATE TYPE dataset_visibility AS ENUM ('public', 'restricted', 'paid');

-- Names sort by Unicode code point on every database: hence COLLATE "C".

CREATE TABLE datasets (
  id           uuid PRIMARY KEY,
  slug         text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  description  text,
  status       dataset_status NOT NULL,
  visibility   dataset_visibility NOT NULL,
  access_tier  text,
  attribution  text NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  updated_at   timestamptz(3) NOT NULL,

  -- An address of a dataset is its UUID or its slug, so no slug may be read as a UUID.
  CONSTRAINT datasets_slug_is_not_a_uuid
    CHECK (slug !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
  CONSTRAINT datasets_slug_fits_a_url
    CHECK (slug ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$'),
  CONSTRAINT datasets_access_tier_is_not_empty CHECK (access_tier <> '')
);
CREATE UNIQUE INDEX datasets_slug_key ON datasets (slug);

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
  CONSTRAINT items_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX items_dataset_id_id_key ON items (dataset_id, id);
-- A parent stands in the same dataset. Deferrable, as items take each other's places within an import.
ALTER TABLE items ADD CONSTRAINT items_parent_fkey
  FOREIGN KEY (dataset_id, parent_item_id) REFERENCES items (dataset_id, id) DEFERRABLE;
ALTER TABLE items ADD CONSTRAINT items_dataset_id_external_id_key UNIQUE (dataset_id, external_id) DEFERRABLE;
-- One index a sort field; each filter's index gives its matches in the default order.
CREATE INDEX items_dataset_id_name_id_idx ON items (dataset_id, name, id);
CREATE INDEX items_dataset_id_created_at_id_idx ON items (dataset_id, created_at, id);
CREATE INDEX items_dataset_id_updated_at_id_idx ON items (dataset_id, updated_at, id);
CREATE INDEX items_dataset_id_administrative_area_code_name_id_idx
  ON items (dataset_id, administrative_area_code, name, id);
CREATE INDEX items_dataset_id_category_code_name_id_idx ON items (dataset_id, category_code, name, id);
CREATE INDEX items_dataset_id_parent_item_id_name_id_idx ON items (dataset_id, parent_item_id, name, id);
-- Root items are asked for in order too, and IS NULL on the index above gives no order.
CREATE INDEX items_roots_dataset_id_name_id_idx ON items (dataset_id, name, id) WHERE parent_item_id IS NULL;
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
CREATE INDEX images_item_id_sort_order_id_idx ON images (item_id, sort_order, id);
CREATE UNIQUE INDEX images_one_primary_per_item ON images (item_id) WHERE is_primary;

CREATE TABLE api_keys (
  id                  uuid PRIMARY KEY,
  name                text NOT NULL,
  hash                bytea NOT NULL,
  access_tiers        text[] NOT NULL DEFAULT '{}',
  requests_per_minute integer,
  created_at          timestamptz(3) NOT NULL,
  expires_at          timestamptz(3),
  revoked_at          timestamptz(3),

  CONSTRAINT api_keys_hash_is_sha256 CHECK (octet_length(hash) = 32),
  CONSTRAINT api_keys_requests_per_minute_range CHECK (requests_per_minute > 0)
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);

CREATE TABLE grants (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  dataset_id uuid NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),

  PRIMARY KEY (api_key_id, dataset_id)
);
CREATE INDEX grants_dataset_id_idx ON grants (dataset_id);
