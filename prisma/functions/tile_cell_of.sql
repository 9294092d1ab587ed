-- The cell of a point: Web Mercator (EPSG:3857) is a square of 2^30 by 2^30 cells, with x eastwards from 180° west and y southwards from
-- 85.0511° north. The bits of x and y alternate (Morton order): the first 2z bits are the x and y of the tile at zoom z, so the cells of
-- a tile are one range of numbers. Longitude 180 is -180. Latitudes beyond the square are in its edge cells.
CREATE OR REPLACE FUNCTION tile_cell_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  size CONSTANT bigint := 1073741824;
  s    CONSTANT float8 := sin(radians(least(greatest(latitude, -85.06), 85.06)::float8));
  x    bigint := floor((longitude::float8 + 180) / 360 * size);
  y    bigint := floor((0.5 - ln((1 + s) / (1 - s)) / (4 * pi())) * size);
BEGIN
  x := x & (size - 1);
  y := least(greatest(y, 0), size - 1);
  -- Puts a zero before each bit. These operators have no precedence among each other.
  x := (x | (x << 16)) & x'0000ffff0000ffff'::bigint;
  y := (y | (y << 16)) & x'0000ffff0000ffff'::bigint;
  x := (x | (x << 8)) & x'00ff00ff00ff00ff'::bigint;
  y := (y | (y << 8)) & x'00ff00ff00ff00ff'::bigint;
  x := (x | (x << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  y := (y | (y << 4)) & x'0f0f0f0f0f0f0f0f'::bigint;
  x := (x | (x << 2)) & x'3333333333333333'::bigint;
  y := (y | (y << 2)) & x'3333333333333333'::bigint;
  x := (x | (x << 1)) & x'5555555555555555'::bigint;
  y := (y | (y << 1)) & x'5555555555555555'::bigint;
  RETURN x | (y << 1);
END $$;
