-- The children of an item, by name. Items without a parent have an index of their own, so this one leaves them out.
DROP INDEX items_dataset_id_parent_item_id_name_id_idx;
CREATE INDEX items_dataset_id_parent_item_id_name_id_idx ON items (dataset_id, parent_item_id, name, id)
  WHERE parent_item_id IS NOT NULL;
