-- To take a name apart is 1,000 times as expensive as a comparison, as a plan knows it. So PostgreSQL uses the indexes of grams together with
-- those of filters, and does not take the names of all items of a filter apart again. The indexes stay as they are.
ALTER FUNCTION name_grams(text) COST 1000;
ALTER FUNCTION letter_grams(text, text) COST 1000;
