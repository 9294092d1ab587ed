-- The folded keywords, each between line breaks. No keyword contains one, so a text between two of them is a whole keyword.
CREATE OR REPLACE FUNCTION fold_keywords(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN keywords = '{}' THEN ''
  ELSE (SELECT E'\n' || coalesce(string_agg(translate(fold_name(keyword), E'\n', ' '), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n))
END;
COMMENT ON FUNCTION fold_keywords(text[]) IS 'Folds each keyword as fold_name() does, and puts line breaks around each.';
