-- Suggestions: what was probably meant by a text with misspelt words.

-- The letters of a folded text: Hangul syllables as their letters (NFD), no marks of vowels in Hebrew, Arabic and kana, and a space for
-- each row of separators. Line breaks stay.
CREATE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
  CASE
    WHEN octet_length(folded) = char_length(folded) THEN folded
    ELSE regexp_replace(normalize(folded, NFD), '[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u3099\u309a]+', '', 'g')
  END,
  '[-\u2010-\u2015 _''\u2018\u2019.,;:()/&"\u00b7]+', ' ', 'g');

-- The grams of the name and of each keyword: three adjacent letters of a word in the order of their code points, with two spaces before
-- the word and one after it. So two swapped letters change few grams. And the whole name and each whole keyword, after an equals sign.
CREATE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  grams  text[] := '{}';
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

-- Functions in an index run with the search_path of the session, which may lack this schema.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION letter_grams(text, text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;

CREATE INDEX items_letter_grams_idx ON items USING gin (letter_grams(folded_name, folded_keywords));
CREATE INDEX items_letters_idx ON items (dataset_id, left(letters_of(folded_name), 50) COLLATE "C", id);

COMMENT ON FUNCTION letters_of(text) IS
  'The letters of a folded text: Hangul by its letters, without marks of vowels, a space for each row of separators.';
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, and each of them as a whole.';
