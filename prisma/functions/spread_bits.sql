-- The inverse of even_bits(): puts a zero before each bit. The cell of column x and row y is spread_bits(x) | (spread_bits(y) << 1).
CREATE OR REPLACE FUNCTION spread_bits(number bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  number := (number | (number << 16)) & x'0000ffff0000ffff'::bigint;
  number := (number | (number << 8)) & x'00ff00ff00ff00ff'::bigint;
  number := (number | (number << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  number := (number | (number << 2)) & x'3333333333333333'::bigint;
  RETURN (number | (number << 1)) & x'5555555555555555'::bigint;
END $$;
