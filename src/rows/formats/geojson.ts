import { basename } from 'node:path'
import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { isObject } from '../../json.ts'
import type { Problem } from '../problem.ts'
import type { SourceFile } from './dialect.ts'
import { nameOfCrs, notGeoJson, splitFeatures } from './geojson-features.ts'
import { type Fields, type FieldsRow, hasText, parseJsonRow, type SourceRow } from './source-row.ts'

/**
 * Yields the features of a GeoJSON FeatureCollection (RFC 7946), or of a GeoJSON text sequence (RFC 8142), as rows. The properties become
 * the fields. The geometry, one point, becomes `latitude` and `longitude`. The id of the feature becomes `externalId` if the properties
 * have no value for `externalId` or `id`.
 * @throws `OPERATION_FAILED` if the text is neither
 */
export async function* readGeoJson(given: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  let number = 0
  for await (const each of splitFeatures(given, file)) {
    if ('members' in each) {
      const part = describePart(each.members, number)
      if (part !== undefined) yield { line: 1, reason: part, warns: 'part' }
      continue
    }
    const { line, json: text, isListed, sharesLine, byte, crs } = each
    number += 1
    const place = `feature ${number}, at byte ${byte}`
    const json = parseJsonRow(line, text)
    if ('fields' in json && !isListed && json.fields.type !== 'Feature') throw notGeoJson(`${file.name}:${line}`)
    const ownCrs = 'fields' in json && !isListed ? nameOfCrs(json.fields) : crs
    const row = 'fields' in json ? toRow(line, json.fields, file) : json
    if ('reason' in row) yield sharesLine ? { ...row, value: [row.value ?? [], place].flat().join(', ') } : row
    else {
      if (sharesLine) row.placeOf = () => place
      if (ownCrs !== undefined) row.crs = ownCrs
      yield row
    }
  }
}

/** Says of which larger collection a file has only a part, as services answer with a page. Undefined if it says nothing of that. */
function describePart(members: Fields, count: number): string | undefined {
  const { numberMatched, totalFeatures, exceededTransferLimit, properties, links } = members
  const total = [numberMatched, totalFeatures].find((each) => typeof each === 'number' && each > count)
  const isExceeded = [exceededTransferLimit, Object(properties).exceededTransferLimit].includes(true)
  const hasNext = Array.isArray(links) && links.some((link) => isObject(link) && link.rel === 'next')
  if (total === undefined && !isExceeded && !hasNext) return undefined
  const of = total === undefined ? 'and says that there are more' : `of ${total}`
  return `is a part of a collection: it has ${count} features ${of}; get the other pages too`
}

function toRow(line: number, { id, geometry, properties }: Fields, file: SourceFile): FieldsRow | Problem {
  const point = pointOf(geometry)
  if (!point) return { line, reason: describeGeometry(geometry, file) }
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
function describeGeometry(geometry: unknown, file: SourceFile): string {
  const kind = 'geometry must be a Point'
  if (geometry === null || geometry === undefined) {
    return `${kind}, and is null; give the feature a place, or leave it out with --skip-invalid`
  }
  const type = isObject(geometry) ? TYPES.find((each) => each === geometry.type) : undefined
  return type === undefined || type === 'Point' ? kind : `${kind}, and is a ${type}; ${toPoints(file)}`
}

/** How to make points of other geometries. A layer has the name of its file, unless the file says another one. */
function toPoints({ name }: SourceFile): string {
  const unpacked = name.replace(/\.gz$/i, '')
  const layer = basename(unpacked).replace(/\.[^.]*$/, '')
  const words = ['-dialect', 'sqlite', '-sql', `SELECT ST_Centroid(geometry), * FROM "${layer}"`]
  const command = ['ogr2ogr', ...words, `points-of-${layer}.geojson`, unpacked].map(quoteForShell).join(' ')
  return `make points of it: ${unpacked === name ? '' : `gunzip -k ${quoteForShell(name)}; `}${command}`
}
