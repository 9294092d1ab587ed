-- The x of a cell, as a number without gaps. The y is even_bits(cell >> 1).
CREATE OR REPLACE FUNCTION even_bits(cell bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  cell := cell & x'5555555555555555'::bigint;
  cell := (cell | (cell >> 1)) & x'3333333333333333'::bigint;
  cell := (cell | (cell >> 2)) & x'0f0f0f0f0f0f0f0f'::bigint;
  cell := (cell | (cell >> 4)) & x'00ff00ff00ff00ff'::bigint;
  cell := (cell | (cell >> 8)) & x'0000ffff0000ffff'::bigint;
  RETURN (cell | (cell >> 16)) & x'00000000ffffffff'::bigint;
END $$;
