-- The grams of the name and of the keywords. A line break becomes a space, so no gram belongs to two of them.
CREATE OR REPLACE FUNCTION item_grams(folded_name text, folded_keywords text) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN name_grams(folded_name || translate(folded_keywords, E'\n', ' '));
COMMENT ON FUNCTION item_grams(text, text) IS 'The grams of the folded name and of each folded keyword of an item.';
