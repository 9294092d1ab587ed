import { type Envelope, listEnvelope, type Shape } from './envelope.ts'

/** https://www.iana.org/assignments/media-types/application/geo+json */
export const GEOJSON = 'application/geo+json'

/** A list of items as GeoJSON (RFC 7946). `meta` is a foreign member (section 6.1). */
export interface FeatureCollection {
  type: 'FeatureCollection'
  features: unknown[]
  meta: Envelope['meta']
}

/** Creates points from a list of items. Their properties are the members of the items in the envelope. */
export function featureCollection(shape?: Shape): (resource: unknown) => FeatureCollection {
  const envelope = listEnvelope(shape)
  return (resource) => {
    const { data, meta } = envelope(resource)
    if (!Array.isArray(data)) throw new TypeError('Raw JSON cannot become features')
    return { type: 'FeatureCollection', features: data.map(toFeature), meta }
  }
}

/** Longitude comes first (section 3.1.1), in degrees of WGS 84 (section 4). */
function toFeature({ id, latitude, longitude, ...properties }: Record<string, unknown>) {
  const coordinates = [Number(longitude), Number(latitude)]
  return { type: 'Feature', id, geometry: { type: 'Point', coordinates }, properties }
}
