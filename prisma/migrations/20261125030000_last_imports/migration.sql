-- The last import of each dataset, by which an import of the same files is found to change nothing.
CREATE TABLE last_imports (
  dataset_id uuid   PRIMARY KEY REFERENCES datasets (id) ON DELETE CASCADE,
  revision   bigint NOT NULL,
  digest     text   NOT NULL
);
