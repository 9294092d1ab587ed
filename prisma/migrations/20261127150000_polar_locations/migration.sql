-- Searches in circles use the index on cells. Near a pole the cells are strips that reach to it.
DROP INDEX items_location_idx;
CREATE INDEX items_location_idx ON items USING gist (location) WHERE abs(latitude) > 85;
