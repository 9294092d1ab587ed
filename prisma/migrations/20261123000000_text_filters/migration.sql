-- For lists with one value of the column, by name. An index entry holds some 2,700 bytes, and these texts have any length. So the index
-- has only texts of at most 100 characters (src/catalog/filters.ts). It has no entry for null.
CREATE INDEX items_dataset_id_postal_code_name_id_idx ON items (dataset_id, postal_code, name, id)
  WHERE length(postal_code) <= 100;
CREATE INDEX items_dataset_id_address_region_name_id_idx ON items (dataset_id, address_region, name, id)
  WHERE length(address_region) <= 100;
