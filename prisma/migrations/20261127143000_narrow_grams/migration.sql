-- Grams are numbers, at most some letters are grams by themselves, and nothing reads the cubes of a former grid.

ALTER TABLE items DROP COLUMN cube;
DROP FUNCTION cube_of(numeric, numeric);

DROP INDEX items_grams_idx;
DROP FUNCTION item_grams(text, text);
DROP FUNCTION name_grams(text);

-- The pairs of adjacent characters of a folded name, without white space, and its characters but for the Latin letters that most names
-- have. A character is its code point, and a pair (first << 21) | second: numbers take two thirds of the time and space of texts. The cost
-- says that this is 1,000 times as expensive as a comparison. So PostgreSQL uses the index of grams beside those of filters, and takes no
-- names apart again.
CREATE OR REPLACE FUNCTION name_grams(folded_name text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  grams    bigint[] := '{}';
  previous bigint := 32;
  current  bigint;
  letter   text;
BEGIN
  FOREACH letter IN ARRAY string_to_array(folded_name, NULL) LOOP
    current := ascii(letter);
    IF current <> 32 THEN
      IF previous <> 32 THEN grams := grams || ((previous << 21) | current); END IF;
      IF strpos('abcdefghiklmnoprstuy', letter) = 0 THEN grams := grams || current; END IF;
    END IF;
    previous := current;
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION name_grams(text) IS
  'The pairs of adjacent characters of a folded name as numbers, and its characters but for frequent letters, without white space.';

-- The grams of the name and of the keywords. A line break becomes a space, so no gram belongs to two of them.
CREATE OR REPLACE FUNCTION item_grams(folded_name text, folded_keywords text) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN name_grams(folded_name || translate(folded_keywords, E'\n', ' '));
COMMENT ON FUNCTION item_grams(text, text) IS 'The grams of the folded name and of each folded keyword of an item.';

-- searchItems and /search: the items whose name or keywords contain a text.
CREATE INDEX items_grams_idx ON items USING gin (item_grams(folded_name, folded_keywords));
