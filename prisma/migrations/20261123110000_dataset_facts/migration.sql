-- Facts about a dataset, which its manifest gives. Null means that a fact is unknown.
ALTER TABLE datasets
  ADD COLUMN license text,
  ADD COLUMN publisher text,
  ADD COLUMN contact text,
  ADD COLUMN terms_url text,
  ADD COLUMN source_url text,
  -- Text, so that every client gets the date as it was given.
  ADD COLUMN source_date text CHECK (source_date ~ '^\d{4}-\d{2}-\d{2}$'),
  ADD COLUMN update_frequency text;
