import { basename } from 'node:path'
import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { isObject } from '../../json.ts'
import type { SourceFile } from './dialect.ts'
import { nameOfCrs, notGeoJson, splitFeatures } from './geojson-features.ts'
import { type Fields, hasText, parseJsonRow, type SourceRow } from './source-row.ts'

/**
 * Yields the features of a GeoJSON FeatureCollection (RFC 7946), or of a GeoJSON text sequence (RFC 8142), as rows. The properties become
 * the fields. The geometry, one point, becomes `latitude` and `longitude`. The id of the feature becomes `externalId` if the properties
 * have no value for `externalId` or `id`.
 * @throws `OPERATION_FAILED` if the text is neither
 */
export async function* readGeoJson(text: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  let number = 0
  for await (const { line, json, isListed, sharesLine, byte, crs } of splitFeatures(text, file)) {
    number += 1
    const place = `feature ${number}, at byte ${byte}`
    const row = parseJsonRow(line, json)
    if ('fields' in row && !isListed && row.fields.type !== 'Feature') throw notGeoJson(`${file.name}:${line}`)
    const ownCrs = 'fields' in row && !isListed ? nameOfCrs(row.fields) : crs
    const placed = {
      ...('fields' in row ? toRow(line, row.fields, file) : row),
      ...(sharesLine && { placeOf: () => place }),
    }
    yield 'fields' in placed && ownCrs !== undefined ? { ...placed, crs: ownCrs } : placed
  }
}

function toRow(line: number, { id, geometry, properties }: Fields, file: SourceFile): SourceRow {
  const point = pointOf(geometry)
  if (!point) return { line, ...describeGeometry(geometry, file) }
  const fields: Fields = { ...(typeof properties === 'object' ? properties : {}) }
  const [longitude, latitude] = point
  if (!hasText(fields.id) && !hasText(fields.externalId) && hasText(id)) fields.externalId = id
  return { line, fields: Object.assign(fields, { latitude, longitude }) }
}

/** The position of a geometry that is one point: a Point, or a MultiPoint or GeometryCollection of one. */
function pointOf(geometry: unknown): readonly unknown[] | undefined {
  if (!isObject(geometry)) return undefined
  const { type, coordinates, geometries } = geometry
  if (type === 'GeometryCollection') return isListOfOne(geometries) ? pointOf(geometries[0]) : undefined
  const position: unknown = type === 'MultiPoint' && isListOfOne(coordinates) ? coordinates[0] : coordinates
  const isPoint = type === 'Point' || position !== coordinates
  return isPoint && Array.isArray(position) && position.length >= 2 ? position : undefined
}

function isListOfOne(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length === 1
}

/** The types of RFC 7946. A message shows no other text of the file. */
const TYPES = [
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
] as const

/** What is wrong with a geometry that is not one point, and what to do. */
function describeGeometry(geometry: unknown, file: SourceFile): { problem: string; kind: string } {
  const kind = 'geometry must be a Point'
  const of = (problem: string) => ({ problem, kind: problem })
  if (geometry === null || geometry === undefined) {
    return of(`${kind}, and is null; give the feature a place, or leave it out with --skip-invalid`)
  }
  const type = isObject(geometry) ? TYPES.find((each) => each === geometry.type) : undefined
  return of(type === undefined || type === 'Point' ? kind : `${kind}, and is a ${type}; ${toPoints(file)}`)
}

/** How to make points of other geometries. A layer has the name of its file, unless the file says another one. */
function toPoints({ name }: SourceFile): string {
  const unpacked = name.replace(/\.gz$/i, '')
  const layer = basename(unpacked).replace(/\.[^.]*$/, '')
  const words = ['-dialect', 'sqlite', '-sql', `SELECT ST_Centroid(geometry), * FROM "${layer}"`]
  const command = ['ogr2ogr', ...words, `points-of-${layer}.geojson`, unpacked].map(quoteForShell).join(' ')
  return `make points of it: ${unpacked === name ? '' : `gunzip -k ${quoteForShell(name)}; `}${command}`
}
