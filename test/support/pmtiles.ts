import { writeFileSync } from 'node:fs'
import { fromGeojsonVt } from '@maplibre/vt-pbf'

/*
 * A small PMTiles file (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md): one tile of the world.
 */

const HEADER_BYTES = 127
/** Compression: none. Tile type: vector tiles. */
const NONE = 1
const MVT = 1

/** Writes a file whose only tile, that of the world, has a layer `water` with one square. */
export function writePmtiles(path: string, attribution: string): void {
  const square = [[[0, 0] as const, [2048, 0] as const, [2048, 2048] as const, [0, 2048] as const, [0, 0] as const]]
  const ring = square.map((points) => points.map(([x, y]): [number, number] => [x, y]))
  const water = { features: [{ type: 3 as const, geometry: ring, tags: { kind: 'ocean' } }] }
  const tile = Buffer.from(fromGeojsonVt({ water }, { version: 2, extent: 4096 }))
  const metadata = Buffer.from(JSON.stringify({ attribution, vector_layers: [{ id: 'water', fields: {} }] }))
  // One entry: tile 0, run length 1, its length, and its offset plus one. Each number is a varint.
  const directory = Buffer.from([1, 0, 1, ...varint(tile.length), 1])
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles\x03', 'latin1')
  const parts = [directory, metadata, Buffer.alloc(0), tile]
  let offset = HEADER_BYTES
  for (const [i, part] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + 16 * i)
    header.writeBigUInt64LE(BigInt(part.length), 16 + 16 * i)
    offset += part.length
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at)
  header.set([1, NONE, NONE, MVT, 0, 0], 96)
  for (const [at, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + 4 * at)
  writeFileSync(path, Buffer.concat([header, ...parts]))
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]
}
