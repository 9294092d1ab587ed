-- For fold_keywords().
CREATE OR REPLACE FUNCTION fold_each_keyword(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT E'\n' || coalesce(string_agg(fold_name(keyword), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n));
COMMENT ON FUNCTION fold_each_keyword(text[]) IS 'The folded keywords of an item that has some, with line breaks around each.';
