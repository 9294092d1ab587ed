-- The characters of a folded name, and its pairs of adjacent characters, without white space. The cost says that this is 1,000 times as
-- expensive as a comparison. So PostgreSQL uses the index of grams beside those of filters, and takes no names apart again.
CREATE OR REPLACE FUNCTION name_grams(folded_name text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  grams    text[] := '{}';
  previous text := ' ';
  current  text;
BEGIN
  FOREACH current IN ARRAY string_to_array(folded_name, NULL) LOOP
    IF current <> ' ' THEN
      grams := grams || current;
      IF previous <> ' ' THEN grams := grams || (previous || current); END IF;
    END IF;
    previous := current;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION name_grams(text) IS 'The characters of a folded name, and its pairs of adjacent characters, without white space.';
