-- Labels of administrative area codes and category codes, for example names of countries. Imports write them from the manifest.
CREATE TABLE code_labels (
  dataset_id uuid NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  field      text NOT NULL,
  code       text COLLATE "C" NOT NULL,
  label      text NOT NULL,

  PRIMARY KEY (dataset_id, field, code),
  CONSTRAINT code_labels_field_has_codes CHECK (field IN ('administrativeAreaCode', 'categoryCode'))
);

-- A change to labels moves the revision of their dataset, as a change to its items does.
CREATE TRIGGER code_labels_insert AFTER INSERT ON code_labels REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_update AFTER UPDATE ON code_labels REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_delete AFTER DELETE ON code_labels REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION items_touch_dataset();
CREATE TRIGGER code_labels_truncate AFTER TRUNCATE ON code_labels
  FOR EACH STATEMENT EXECUTE FUNCTION touch_everything();

COMMENT ON TABLE code_labels IS 'Labels of the codes of items. Imports write them.';
COMMENT ON COLUMN code_labels.field IS 'Field of an item that has the code: administrativeAreaCode or categoryCode.';
COMMENT ON FUNCTION items_touch_dataset() IS
  'Trigger function: moves the revisions of the datasets of changed items or labels.';
COMMENT ON COLUMN datasets.revision IS 'Increases with every change to the dataset, its items, their images or the labels.';
