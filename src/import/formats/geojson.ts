import type { SourceFile } from './dialect.ts'
import { splitFeatures } from './geojson-features.ts'
import { type Fields, parseJsonRow, type SourceRow } from './source-row.ts'

/**
 * Yields the features of a GeoJSON FeatureCollection (RFC 7946) as rows. The properties become the fields. The geometry, a Point,
 * becomes `latitude` and `longitude`. The id of the feature becomes `externalId` if the properties have no `externalId` or `id`.
 * @throws `OPERATION_FAILED` if the text is not a FeatureCollection
 */
export async function* readGeoJson(text: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  let number = 0
  for await (const { line, json, sharesLine, byte, crs } of splitFeatures(text, file)) {
    number += 1
    const place = `feature ${number}, at byte ${byte}`
    const row = parseJsonRow(line, json)
    const placed = {
      ...('fields' in row ? toRow(line, row.fields) : row),
      ...(sharesLine && { placeOf: () => place }),
    }
    yield 'fields' in placed && crs !== undefined ? { ...placed, crs } : placed
  }
}

function toRow(line: number, { id, geometry, properties }: Fields): SourceRow {
  const point = pointOf(geometry)
  if (!point) return { line, problem: 'geometry must be a Point' }
  const fields: Fields = { ...(typeof properties === 'object' ? properties : {}) }
  const [longitude, latitude] = point
  const hasId = fields.id !== undefined || fields.externalId !== undefined
  if (!hasId && id !== undefined) fields.externalId = id
  return { line, fields: Object.assign(fields, { latitude, longitude }) }
}

function pointOf(geometry: unknown): readonly unknown[] | undefined {
  if (typeof geometry !== 'object' || geometry === null) return undefined
  if (!('type' in geometry) || geometry.type !== 'Point' || !('coordinates' in geometry)) return undefined
  const { coordinates } = geometry
  return Array.isArray(coordinates) && coordinates.length >= 2 ? coordinates : undefined
}
