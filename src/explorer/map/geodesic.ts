/*
 * Circles on the WGS 84 spheroid, by Vincenty's direct formula (Survey Review XXIII, 176, 1975).
 */

const EQUATORIAL_RADIUS_METRES = 6_378_137
const FLATTENING = 1 / 298.257223563
const POLAR_RADIUS_METRES = EQUATORIAL_RADIUS_METRES * (1 - FLATTENING)

const CIRCLE_POINTS = 128
/** Latitude of the web map's edge. */
const MAX_MAP_LATITUDE = 85.0511

type Position = [longitude: number, latitude: number]

/**
 * Returns the point at a distance and azimuth from another. Angles are degrees, the distance is metres. The longitude is not
 * wrapped: it goes beyond 180 on the far side of the antimeridian.
 */
export function destination([longitude, latitude]: Position, azimuth: number, distanceMetres: number): Position {
  const alpha1 = radians(azimuth)
  const tanU1 = (1 - FLATTENING) * Math.tan(radians(latitude))
  const cosU1 = 1 / Math.hypot(1, tanU1)
  const sinU1 = tanU1 * cosU1
  const sigma1 = Math.atan2(tanU1, Math.cos(alpha1))
  const sinAlpha = cosU1 * Math.sin(alpha1)
  const cosSquaredAlpha = 1 - sinAlpha ** 2
  const uSquared =
    (cosSquaredAlpha * (EQUATORIAL_RADIUS_METRES ** 2 - POLAR_RADIUS_METRES ** 2)) / POLAR_RADIUS_METRES ** 2
  const a = 1 + (uSquared / 16384) * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)))
  const b = (uSquared / 1024) * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))

  let sigma = distanceMetres / (POLAR_RADIUS_METRES * a)
  let cos2SigmaM = 0
  for (let round = 0; round < 20; round++) {
    cos2SigmaM = Math.cos(2 * sigma1 + sigma)
    const cosTerm = Math.cos(sigma) * (2 * cos2SigmaM ** 2 - 1)
    const cubicTerm = (b / 6) * cos2SigmaM * (4 * Math.sin(sigma) ** 2 - 3) * (4 * cos2SigmaM ** 2 - 3)
    const delta = b * Math.sin(sigma) * (cos2SigmaM + (b / 4) * (cosTerm - cubicTerm))
    const next = distanceMetres / (POLAR_RADIUS_METRES * a) + delta
    if (Math.abs(next - sigma) < 1e-13) break
    sigma = next
  }

  const sinSigma = Math.sin(sigma)
  const cosSigma = Math.cos(sigma)
  const across = sinU1 * sinSigma - cosU1 * cosSigma * Math.cos(alpha1)
  const latitude2 = Math.atan2(
    sinU1 * cosSigma + cosU1 * sinSigma * Math.cos(alpha1),
    (1 - FLATTENING) * Math.hypot(sinAlpha, across),
  )
  const lambda = Math.atan2(sinSigma * Math.sin(alpha1), cosU1 * cosSigma - sinU1 * sinSigma * Math.cos(alpha1))
  const c = (FLATTENING / 16) * cosSquaredAlpha * (4 + FLATTENING * (4 - 3 * cosSquaredAlpha))
  const inner = cos2SigmaM + c * cosSigma * (2 * cos2SigmaM ** 2 - 1)
  const difference = lambda - (1 - c) * FLATTENING * sinAlpha * (sigma + c * sinSigma * inner)
  return [longitude + degrees(difference), degrees(latitude2)]
}

/** Returns the ring of a circle around a point, closed, for a web map. A circle with a pole in it reaches the map's edge. */
export function circle(centre: Position, radiusMetres: number): Position[] {
  const ring: Position[] = []
  for (let i = 0; i < CIRCLE_POINTS; i++) ring.push(destination(centre, (i * 360) / CIRCLE_POINTS, radiusMetres))
  const [longitude, latitude] = centre
  const edge = latitude < 0 ? -MAX_MAP_LATITUDE : MAX_MAP_LATITUDE
  const hasPole =
    destination([longitude, Math.abs(latitude)], 0, radiusMetres)[0] !== longitude || Math.abs(latitude) === 90
  if (!hasPole) return [...ring, ring[0] ?? centre]
  const wrapped = ring
    .map(([x, y]): Position => [((((x + 180) % 360) + 360) % 360) - 180, y])
    .sort(([left], [right]) => left - right)
  const first = wrapped[0]?.[1] ?? edge
  return [[-180, edge], [-180, first], ...wrapped, [180, first], [180, edge], [-180, edge]]
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI
}
