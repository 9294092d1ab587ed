-- The letters of a folded text: Hangul syllables as their letters (NFD), no marks of vowels in Hebrew, Arabic and kana, and a space for
-- each row of separators. Line breaks stay.
-- Not STRICT, so that PostgreSQL writes its body into statements and indexes. As in fold_name(), no setting changes the body.
CREATE OR REPLACE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT regexp_replace(
  CASE
    WHEN octet_length(folded) = char_length(folded) THEN folded
    ELSE regexp_replace(normalize(folded, NFD), E'[\\u0591-\\u05bd\\u05bf-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u3099\\u309a]+', '', 'g')
  END,
  E'[-\\u2010-\\u2015 _''\\u2018\\u2019.,;:()/&"\\u00b7]+', ' ', 'g') $$;
COMMENT ON FUNCTION letters_of(text) IS
  'The letters of a folded text: Hangul by its letters, without marks of vowels, a space for each row of separators.';
