-- The grams of the name and of each keyword: three adjacent letters of a word in the order of their code points, with two spaces before
-- the word and one after it. So two swapped letters change few grams. Then the whole name and each whole keyword, after an equals sign.
-- And the length of the name after a line break, 100 for longer names: a statement reads the shortest of many names that share grams.
-- It sets a search_path, because a function in an index runs with that of the session, which may lack this schema.
CREATE OR REPLACE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  grams  text[] := ARRAY[E'\n' || least(length(folded_name), 100)];
  entry  text COLLATE "C";
  word   text COLLATE "C";
  first  text COLLATE "C";
  second text COLLATE "C";
  third  text COLLATE "C";
BEGIN
  FOREACH entry IN ARRAY string_to_array(letters_of(folded_name || folded_keywords), E'\n') LOOP
    entry := btrim(entry, ' ');
    CONTINUE WHEN entry = '';
    grams := grams || ('=' || left(entry, 50));
    FOREACH word IN ARRAY string_to_array(entry, ' ') LOOP
      first := ' ';
      second := ' ';
      FOREACH third IN ARRAY string_to_array(word || ' ', NULL) LOOP
        grams := grams || (least(first, second, third) || greatest(least(first, second), least(greatest(first, second), third))
                           || greatest(first, second, third));
        first := second;
        second := third;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each of them as a whole, and the length of the name.';
