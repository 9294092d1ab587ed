-- The grams of the name and of each keyword: three adjacent letters of a word in the order of their code points, with two spaces before
-- the word and one after it. So two swapped letters change few grams. Then each whole keyword, after an equals sign. And the length of the
-- name after a line break, 100 for longer names: a statement reads the shortest of many names that share grams.
-- It sets a search_path, because a function in an index runs with that of the session, which may lack this schema.
CREATE OR REPLACE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  letters text := letters_of(folded_name || folded_keywords);
  grams   text[] := ARRAY[E'\n' || least(length(folded_name), 100)];
  letter  text;
  keyword text;
  -- Code points, not texts: a comparison takes less.
  first   integer := 32;
  second  integer := 32;
  third   integer;
BEGIN
  FOREACH letter IN ARRAY string_to_array(replace(translate(letters, E'\n', ' '), ' ', '  ') || ' ', NULL) LOOP
    third := ascii(letter);
    IF second <> 32 OR third <> 32 THEN
      grams := grams || (chr(least(first, second, third))
                         || chr(first + second + third - least(first, second, third) - greatest(first, second, third))
                         || chr(greatest(first, second, third)));
    END IF;
    first := second;
    second := third;
  END LOOP;
  FOREACH keyword IN ARRAY (string_to_array(letters, E'\n'))[2:] LOOP
    grams := grams || ('=' || left(keyword, 50));
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each whole keyword, and the length of the name.';
