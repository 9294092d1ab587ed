-- A new index on an expression has no statistics. Without them each text would be taken for a rare one. PostgreSQL plans better for a small
-- table that it never analyzed than for one that was empty then.
DO $$
BEGIN
  IF EXISTS (SELECT FROM items) THEN ANALYZE items; END IF;
END $$;
