-- The last import of each dataset, by which an import of the same files is found to change nothing. The row of a dataset that was removed stays:
-- no dataset has its revision again. So there is no foreign key, which would also need the table in each TRUNCATE of datasets.
CREATE TABLE last_imports (
  dataset_id uuid   PRIMARY KEY,
  revision   bigint NOT NULL,
  digest     text   NOT NULL
);
