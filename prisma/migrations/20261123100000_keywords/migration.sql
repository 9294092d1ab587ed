-- Alternative names and codes of an item, and searches by them.

-- The folded keywords, each between line breaks. No keyword can contain one, so a text between two of them is a whole keyword.
CREATE FUNCTION fold_keywords(keywords text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN keywords = '{}' THEN ''
  ELSE (SELECT E'\n' || coalesce(string_agg(translate(fold_name(keyword), E'\n', ' '), E'\n' ORDER BY n), '') || E'\n'
          FROM unnest(keywords) WITH ORDINALITY AS given (keyword, n))
END;

ALTER TABLE items
  ADD COLUMN keywords text[] NOT NULL DEFAULT '{}',
  ADD COLUMN folded_keywords text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_keywords(keywords)) STORED,
  ADD CONSTRAINT items_keywords_are_a_list
    CHECK (coalesce(array_ndims(keywords), 1) = 1 AND array_position(keywords, NULL) IS NULL);

-- The parts of the name and of the keywords. A line break becomes a space, so no part belongs to two of them.
CREATE FUNCTION item_grams(folded_name text, folded_keywords text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN name_grams(folded_name || translate(folded_keywords, E'\n', ' '));
DROP INDEX items_name_grams_idx;
CREATE INDEX items_grams_idx ON items USING gin (item_grams(folded_name, folded_keywords));

COMMENT ON COLUMN items.keywords IS 'Alternative names and codes of the place.';
COMMENT ON COLUMN items.folded_keywords IS 'The keywords as fold_keywords() gives them.';
COMMENT ON FUNCTION item_grams(text, text) IS 'The grams of the folded name and of each folded keyword of an item.';
COMMENT ON FUNCTION fold_keywords(text[]) IS 'Folds each keyword as fold_name() does, and puts line breaks around each.';
