/*
 * Reads the points of a Mapbox vector tile (specification 2.1): their positions, and their numbers of items. It reads only the
 * tiles of this server: points in the layer `items`.
 */

export interface TilePoint {
  /** Position in the tile, from 0 (west, north) to 1. */
  x: number
  y: number
  /** Number of items; 1 for a single item. */
  total: number
}

/** The fields of one protocol buffer message: numbers for varints, bytes for the rest. */
function* fieldsOf(bytes: Uint8Array): Generator<[field: number, value: number | Uint8Array]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = view.getUint8(at++)
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const type = tag % 8
    if (type === 0) yield [Math.floor(tag / 8), varint()]
    else {
      const length = type === 2 ? varint() : type === 1 ? 8 : 4
      yield [Math.floor(tag / 8), bytes.subarray(at, at + length)]
      at += length
    }
  }
}

function varintsOf(bytes: Uint8Array): number[] {
  const values: number[] = []
  let value = 0
  let factor = 1
  for (const byte of bytes) {
    value += (byte & 127) * factor
    if (byte < 128) {
      values.push(value)
      value = 0
      factor = 1
    } else factor *= 128
  }
  return values
}

const zigzag = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)
const bytesOf = (value: number | Uint8Array) => (typeof value === 'number' ? new Uint8Array() : value)

/** Returns the points of the layer `items`. */
export function pointsOf(tile: Uint8Array): TilePoint[] {
  const layers = [...fieldsOf(tile)].filter(([field]) => field === 3).map(([, bytes]) => bytesOf(bytes))
  return layers.flatMap(pointsOfLayer)
}

function pointsOfLayer(layer: Uint8Array): TilePoint[] {
  const text = new TextDecoder()
  const fields = [...fieldsOf(layer)]
  const all = (wanted: number) => fields.filter(([field]) => field === wanted).map(([, value]) => value)
  if (text.decode(bytesOf(all(1)[0] ?? 0)) !== 'items') return []
  const extent = Number(all(5)[0] ?? 4096)
  const totalKey = all(3).findIndex((key) => text.decode(bytesOf(key)) === 'total')
  const values = all(4).map((value) => numberOf(bytesOf(value)))
  return all(2).map((feature) => {
    const parts = new Map(fieldsOf(bytesOf(feature)))
    const tags = varintsOf(bytesOf(parts.get(2) ?? 0))
    const [, dx = 0, dy = 0] = varintsOf(bytesOf(parts.get(4) ?? 0))
    const at = tags.findIndex((tag, i) => i % 2 === 0 && tag === totalKey)
    const total = at < 0 ? 1 : (values[tags[at + 1] ?? -1] ?? 1)
    return { x: zigzag(dx) / extent, y: zigzag(dy) / extent, total }
  })
}

/** The number in a Value message, undefined for a text. */
function numberOf(value: Uint8Array): number | undefined {
  for (const [field, content] of fieldsOf(value)) {
    const bytes = bytesOf(content)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (field === 2) return view.getFloat32(0, true)
    if (field === 3) return view.getFloat64(0, true)
    if (typeof content === 'number') return field === 6 ? zigzag(content) : content
  }
  return undefined
}
