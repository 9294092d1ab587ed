-- The length of the folded name is a key of the index of letters too, after a line break: 100 for longer names. So a statement reads
-- the shortest of many names that share grams with a text (src/catalog/sql/suggest.ts).
DROP INDEX items_letter_grams_idx;

CREATE OR REPLACE FUNCTION letter_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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

-- Functions in an index run with the search_path of the session, which may lack this schema.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION letter_grams(text, text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;

CREATE INDEX items_letter_grams_idx ON items USING gin (letter_grams(folded_name, folded_keywords));
-- The searches need the statistics of the index, and nothing else gathers them before the next import.
ANALYZE items;

COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each of them as a whole, and the length of the name.';
