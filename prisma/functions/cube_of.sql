-- The cube of 128 metres that contains a point on the WGS 84 ellipsoid, in earth-centred, earth-fixed coordinates: there are no poles
-- and no antimeridian in space. The number of a cube begins with the number of the cube of 65,536 metres around it. Then each of the
-- levels of 8,192, 1,024 and 128 metres adds nine bits, three for each axis.
CREATE OR REPLACE FUNCTION cube_of(latitude numeric, longitude numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  phi    float8 := radians(latitude::float8);
  lambda float8 := radians(longitude::float8);
  e2     CONSTANT float8 := 0.0066943799901413165;
  normal float8 := 6378137 / sqrt(1 - e2 * sin(phi) ^ 2);
  x      bigint := floor((normal * cos(phi) * cos(lambda) + 8388608) / 128);
  y      bigint := floor((normal * cos(phi) * sin(lambda) + 8388608) / 128);
  z      bigint := floor((normal * (1 - e2) * sin(phi) + 8388608) / 128);
BEGIN
  -- These operators have no precedence among each other.
  RETURN (((x >> 9) << 43) | ((y >> 9) << 35) | ((z >> 9) << 27))
       | ((((x >> 6) & 7) << 24) | (((y >> 6) & 7) << 21) | (((z >> 6) & 7) << 18))
       | ((((x >> 3) & 7) << 15) | (((y >> 3) & 7) << 12) | (((z >> 3) & 7) << 9))
       | (((x & 7) << 6) | ((y & 7) << 3) | (z & 7));
END $$;
COMMENT ON FUNCTION cube_of(numeric, numeric) IS
  'Cell of the ECEF grid that contains a point on WGS 84. src/catalog/sql/ecef-grid.ts reads the number.';
