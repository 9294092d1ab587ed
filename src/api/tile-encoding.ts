import { PbfWriter } from 'pbf'
import { TILE_EXTENT, type TileFeature } from '../catalog/tile.ts'

/*
 * The Mapbox vector tile format, version 2.1 (https://github.com/mapbox/vector-tile-spec/tree/master/2.1). The numbers are those of
 * its fields.
 */

const LAYER = 'items'
const VERSION = 2
/** The geometry type of a point (section 4.3.4.2), and its command: MoveTo, once. */
const POINT = 1
const MOVE_TO = 9

const utf8 = new TextEncoder()

/** The place of each key or value in the list of its layer. */
type Places<T> = Map<T, number>

interface Tags {
  keys: Places<string>
  values: Places<string | number>
}

/** Encodes features as a vector tile with one layer. Without features the tile has no layer, and so no bytes. */
export function encodeTile(features: readonly TileFeature[]): Buffer {
  const tile = new PbfWriter()
  if (features.length > 0) tile.writeMessage(3, writeLayer, features)
  return Buffer.from(tile.finish())
}

function writeLayer(features: readonly TileFeature[], layer: PbfWriter): void {
  const tags: Tags = { keys: new Map(), values: new Map() }
  layer.writeVarintField(15, VERSION)
  writeText(layer, 1, LAYER)
  layer.writeVarintField(5, TILE_EXTENT)
  for (const feature of features) layer.writeMessage(2, writeFeature, { feature, tags })
  for (const key of tags.keys.keys()) writeText(layer, 3, key)
  for (const value of tags.values.keys()) layer.writeMessage(4, writeValue, value)
}

function writeFeature(
  { feature: { x, y, properties }, tags: { keys, values } }: { feature: TileFeature; tags: Tags },
  pbf: PbfWriter,
): void {
  const tags = Object.entries(properties).flatMap(([key, value]) => [placeOf(keys, key), placeOf(values, value)])
  pbf.writePackedVarint(2, tags)
  pbf.writeVarintField(3, POINT)
  // A point lies in its tile. The format doubles a number that is not negative (zigzag).
  pbf.writePackedVarint(4, [MOVE_TO, 2 * x, 2 * y])
}

function writeValue(value: string | number, pbf: PbfWriter): void {
  if (typeof value === 'string') writeText(pbf, 1, value)
  else pbf.writeVarintField(5, value)
}

/** `writeStringField` of pbf 5.1.2 writes the characters of every second plane as those of the plane before. */
function writeText(pbf: PbfWriter, field: number, text: string): void {
  pbf.writeBytesField(field, utf8.encode(text))
}

function placeOf<T>(places: Places<T>, key: T): number {
  const known = places.get(key)
  if (known !== undefined) return known
  places.set(key, places.size)
  return places.size - 1
}
