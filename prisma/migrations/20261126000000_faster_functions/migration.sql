-- The functions that run for each new item take less time, and an index has no whole names.

-- For fold_keywords().
CREATE OR REPLACE FUNCTION fold_each_keyword(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT E'\n' || coalesce(string_agg(translate(fold_name(keyword), E'\n', ' '), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n));
COMMENT ON FUNCTION fold_each_keyword(text[]) IS 'The folded keywords of an item that has some, with line breaks around each.';

-- The folded keywords, each between line breaks. No keyword contains one, so a text between two of them is a whole keyword. Not STRICT and
-- without a subquery, so that PostgreSQL writes its body into statements: the call takes 6 µs, and most items have no keywords.
CREATE OR REPLACE FUNCTION fold_keywords(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keywords = '{}' THEN '' ELSE fold_each_keyword(keywords) END;
COMMENT ON FUNCTION fold_keywords(text[]) IS 'Folds each keyword as fold_name() does, and puts line breaks around each.';

-- items_letters_idx finds whole names, so they are no grams.
DROP INDEX items_letter_grams_idx;

-- The letters of a folded text: Hangul syllables as their letters (NFD), no marks of vowels in Hebrew, Arabic and kana, and a space for
-- each row of separators. Line breaks stay.
-- Not STRICT, so that PostgreSQL writes its body into statements and indexes.
CREATE OR REPLACE FUNCTION letters_of(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
  CASE
    WHEN octet_length(folded) = char_length(folded) THEN folded
    ELSE regexp_replace(normalize(folded, NFD), '[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u3099\u309a]+', '', 'g')
  END,
  '[-\u2010-\u2015 _''\u2018\u2019.,;:()/&"\u00b7]+', ' ', 'g');
COMMENT ON FUNCTION letters_of(text) IS
  'The letters of a folded text: Hangul by its letters, without marks of vowels, a space for each row of separators.';

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
    grams := grams || ('=' || left(btrim(keyword, ' '), 50));
  END LOOP;
  RETURN grams;
END $$;
COMMENT ON FUNCTION letter_grams(text, text) IS
  'The grams of letters of the folded name and of each folded keyword of an item, each whole keyword, and the length of the name.';
-- Suggestions: the items that share grams with a text, the shortest names first; and those with a whole keyword.
CREATE INDEX items_letter_grams_idx ON items USING gin (letter_grams(folded_name, folded_keywords));

-- Adds the new rows (sign 1) and subtracts the old rows (sign -1), in the tiles of all four zooms. The sums of integers, which x and y are,
-- take a third of the time of those of bigint.
CREATE OR REPLACE FUNCTION count_tiles() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added   CONSTANT text := 'SELECT 1 AS sign, dataset_id, tile_cell FROM new_rows';
  removed CONSTANT text := 'SELECT -1 AS sign, dataset_id, tile_cell FROM old_rows';
  changed text := CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END;
BEGIN
  EXECUTE '
    WITH changed AS MATERIALIZED (
      SELECT dataset_id, tile_cell, sign, sign * even_bits(tile_cell)::integer AS x, sign * even_bits(tile_cell >> 1)::integer AS y
        FROM (' || changed || ') AS changed
    )
    INSERT INTO tile_counts AS kept (dataset_id, level, cell, n, sum_x, sum_y)
    SELECT dataset_id, level, tile_cell >> 60 - 2 * level, sum(sign), sum(x), sum(y)
      FROM changed CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level
     GROUP BY 1, 2, 3 HAVING sum(sign) <> 0 OR sum(x) <> 0 OR sum(y) <> 0
     ORDER BY 1, 2, 3
        ON CONFLICT (dataset_id, level, cell) DO UPDATE
       SET n = kept.n + excluded.n, sum_x = kept.sum_x + excluded.sum_x, sum_y = kept.sum_y + excluded.sum_y';
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM tile_counts WHERE n = 0 AND dataset_id IN (SELECT DISTINCT dataset_id FROM old_rows);
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION count_tiles() IS 'Trigger function: updates tile_counts after a change to items.';
