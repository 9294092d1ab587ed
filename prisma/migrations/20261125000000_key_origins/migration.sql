-- A key with origins works only for requests of web pages with one of them.
ALTER TABLE api_keys ADD COLUMN origins text[] NOT NULL DEFAULT '{}';
