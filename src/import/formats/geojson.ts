import { operationFailed } from '../../errors.ts'
import { MAX_ROW_LENGTH, parseRow, type SourceRow } from './rows.ts'

/**
 * Reads the points of a GeoJSON FeatureCollection (RFC 7946): the properties are fields, the geometry is the place, and
 * the feature's own id is the `externalId` where the properties name neither that nor an `id`.
 */
export async function* readGeoJson(text: AsyncIterable<string>, fileName: string): AsyncGenerator<SourceRow> {
  for await (const { line, json } of splitFeatures(text, fileName)) {
    const row = parseRow(line, json)
    yield 'fields' in row ? toRow(line, row.fields) : row
  }
}

function toRow(line: number, { id, geometry, properties }: Record<string, unknown>): SourceRow {
  const point = pointOf(geometry)
  if (!point) return { line, problem: 'geometry must be a Point' }
  const fields: Record<string, unknown> = { ...(typeof properties === 'object' ? properties : {}) }
  const [longitude, latitude] = point
  const named = fields.id !== undefined || fields.externalId !== undefined
  const externalId = named || id === undefined ? {} : { externalId: id }
  return { line, fields: { ...fields, ...externalId, latitude, longitude } }
}

function pointOf(geometry: unknown): readonly unknown[] | undefined {
  if (typeof geometry !== 'object' || geometry === null) return undefined
  if (!('type' in geometry) || geometry.type !== 'Point' || !('coordinates' in geometry)) return undefined
  const { coordinates } = geometry
  return Array.isArray(coordinates) && coordinates.length >= 2 ? coordinates : undefined
}

/**
 * Cuts the text of each feature out of a collection, so that one is held in memory and not the file. It follows strings
 * and brackets only: that a feature is JSON is seen when it is parsed.
 */
async function* splitFeatures(text: AsyncIterable<string>, fileName: string) {
  let line = 1
  let depth = 0
  let inString = false
  let escaped = false
  let inFeatures = false
  let found = false
  let name = ''
  let feature: { line: number; json: string } | undefined

  for await (const chunk of text) {
    // Where in this chunk the text that is being kept begins.
    let start = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at]
      if (character === '\n') line += 1
      if (inString) {
        if (escaped) escaped = false
        else if (character === '\\') escaped = true
        else if (character === '"') inString = false
        else if (depth === 1) name += character
      } else if (character === '"') {
        inString = true
        if (depth === 1) name = ''
      } else if (character === '{' || character === '[') {
        if (depth === 1 && character === '[' && name === 'features') inFeatures = found = true
        if (depth === 2 && inFeatures) {
          feature = { line, json: '' }
          start = at
        }
        depth += 1
      } else if (character === '}' || character === ']') {
        depth -= 1
        if (depth === 2 && feature) {
          feature.json += chunk.slice(start, at + 1)
          yield feature
          feature = undefined
        }
        if (depth === 1) inFeatures = false
      }
    }
    if (feature) {
      feature.json += chunk.slice(start)
      if (feature.json.length > MAX_ROW_LENGTH) {
        throw operationFailed(`${fileName}:${feature.line}: is longer than ${MAX_ROW_LENGTH} characters`)
      }
    }
  }
  if (!found) throw operationFailed(`${fileName}: is not a GeoJSON FeatureCollection`)
  if (depth !== 0) throw operationFailed(`${fileName}:${line}: ends in the middle of the collection`)
}
