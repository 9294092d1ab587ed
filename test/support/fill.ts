import type pg from 'pg'

/**
 * Adds a hundred datasets without items, and to each a share of `size` keys with a grant, an old secret and five days of usage, and of
 * `size` entries of the history with a part each.
 */
export async function fillKeysAndHistory(session: pg.Client, size: number): Promise<void> {
  await session.query(`
    INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
    SELECT md5(n::text)::uuid, 'filled-' || n, 'Dataset', 'active', 'public', '', now(), now() FROM generate_series(1, 100) AS n;
    INSERT INTO last_imports (dataset_id, revision, digest) SELECT id, revision, '' FROM datasets;
    INSERT INTO api_keys (id, name, hash, created_at)
    SELECT md5(n::text)::uuid, 'key ' || n, sha256(n::text::bytea), now() FROM generate_series(1, ${size}) AS n;
    INSERT INTO retired_secrets (hash, api_key_id, expires_at)
    SELECT sha256(id::text::bytea), id, now() + interval '1 day' FROM api_keys;
    INSERT INTO grants (api_key_id, dataset_id, created_at)
    SELECT md5(n::text)::uuid, md5((n % 100 + 1)::text)::uuid, now() FROM generate_series(1, ${size}) AS n;
    INSERT INTO key_uses (api_key_id, used_at) SELECT id, now() FROM api_keys;
    INSERT INTO key_usage_days (api_key_id, day, dataset_id, requests, items, bytes)
    SELECT api_key_id, current_date - days, dataset_id, 1, 1, 1 FROM grants CROSS JOIN generate_series(0, 4) AS days;
    INSERT INTO history_entries (dataset_id, slug, at, action, command, created, updated, removed, can_undo, dataset_before, dataset_after)
    SELECT md5((n % 100 + 1)::text)::uuid, 'filled-' || n % 100 + 1, now() - n * interval '1 hour', 'import', '', 0, 1, 0, true,
           '{"labels": []}', '{"labels": []}' FROM generate_series(1, ${size}) AS n;
    INSERT INTO history_parts (entry_id, kind, part, content)
    SELECT id, 'before', 0, jsonb_build_object('id', md5(id::text)::uuid) FROM history_entries`)
}
