-- The letters of a folded text: Hangul syllables as their letters (NFD), and kana without their voicing marks. Line breaks stay.
-- Not STRICT, so that PostgreSQL writes its body into statements and indexes. As in fold_name(), no setting changes the body.
CREATE OR REPLACE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE
  WHEN octet_length(folded) = char_length(folded) THEN folded
  ELSE translate(normalize(folded, NFD), E'\u3099\u309a', '')
END $$;
COMMENT ON FUNCTION letters_of(text) IS 'The letters of a folded text: Hangul by its letters, kana without voicing marks.';
