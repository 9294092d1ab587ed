-- When each API key was last used, as the gateways write it now and then. A table of its own, since a change to a key is
-- announced to all of them.
CREATE TABLE key_uses (
  api_key_id uuid PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  used_at    timestamptz(3) NOT NULL
);
