-- The indexes on cubes and on cells have the codes too. So a statement counts the items of a cube or tile that have a code, and reads
-- only the index (src/catalog/sql/nearby-by-grid.ts, src/catalog/sql/tiles.ts). The names of the indexes stay.
DROP INDEX items_dataset_id_cube_idx;
CREATE INDEX items_dataset_id_cube_idx ON items (dataset_id, cube, category_code, administrative_area_code);
DROP INDEX items_dataset_id_tile_cell_idx;
CREATE INDEX items_dataset_id_tile_cell_idx ON items (dataset_id, tile_cell, category_code, administrative_area_code);
