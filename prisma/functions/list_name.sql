-- The name of a list in item_counts: `all`, `roots` or `children of UUID`, then its filters. Null is no filter. The statements that
-- read totals build the same names (src/catalog/sql/item-list.ts).
CREATE OR REPLACE FUNCTION list_name(among text, area text, category text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN among || coalesce(' area ''' || replace(area, '''', '''''') || '''', '')
             || coalesce(' category ''' || replace(category, '''', '''''') || '''', '');
COMMENT ON FUNCTION list_name(text, text, text) IS
  'Name of a list in item_counts: all, roots or children of UUID, then the filters. src/catalog/sql/items.ts makes the same name.';
