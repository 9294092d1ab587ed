import { useEffect, useRef, useState } from 'preact/hooks'
import type { Extent } from '../../data/datasets.ts'
import { tileSources } from '../../data/tile-sources.ts'
import { type Bounds, latitudeOf } from '../../map/box.ts'
import { useLater } from '../../shared/later.ts'

/*
 * A small map with the places of a dataset, as SVG: of their extent, or of the world.
 */

const WIDTH = 360
const HEIGHT = 136
const NORTH = 78
const LAND = new URL('../lib/world/land.json', import.meta.url).pathname
/** The least part of the world that is shown, in degrees: the land has no more detail. */
const LEAST_WIDTH = 12
const MAX_TILE_ZOOM = 6

/** What the map shows, in degrees from its north-west corner on. */
interface Frame {
  west: number
  north: number
  width: number
  height: number
}

const WORLD: Frame = { west: -180, north: NORTH, width: WIDTH, height: HEIGHT }

interface Dot {
  x: number
  y: number
  radius: number
}

interface SmallMapProps {
  dataset: string
  extent?: Extent | null
  signal: AbortSignal
}

/** The map. It draws the land and the places as soon as they are loaded. */
export function SmallMap({ dataset, extent, signal }: SmallMapProps) {
  const map = useRef<SVGSVGElement>(null)
  const land = useLater(readLand())
  const [dots, draw] = useState<readonly Dot[] | undefined>([])
  const frame = frameOf(extent)
  useEffect(() => {
    if (!map.current) return
    // A key may access hundreds of datasets, so only visible maps read their places.
    const sight = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      sight.disconnect()
      // No message: the list reports problems of the server or the key.
      readDots(dataset, extent, frame, signal).then(draw, () => draw(undefined))
    })
    sight.observe(map.current)
    return () => sight.disconnect()
  }, [dataset])
  const box = [frame.west + 180, NORTH - frame.north, frame.width, frame.height].join(' ')
  return (
    <svg ref={map} viewBox={box} class={`small-map${dots ? '' : ' empty'}`} aria-hidden="true">
      <path d={land} />
      {dots?.map(({ x, y, radius }) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={radius} />
      ))}
    </svg>
  )
}

/** The extent with a margin, in the shape of the map. The world for one that is nearly as large, or lies across the antimeridian. */
function frameOf(extent: Extent | null | undefined): Frame {
  if (!extent || extent.west > extent.east) return WORLD
  const { west, south, east, north } = extent
  const width = 1.4 * Math.max(LEAST_WIDTH, east - west, ((north - south) * WIDTH) / HEIGHT)
  if (width > WIDTH / 2) return WORLD
  const height = (width * HEIGHT) / WIDTH
  return { west: (west + east - width) / 2, north: (south + north + height) / 2, width, height }
}

async function readDots(
  dataset: string,
  extent: Extent | null | undefined,
  frame: Frame,
  signal: AbortSignal,
): Promise<Dot[]> {
  const [source] = tileSources({ dataset }, 'datasetId', false)
  const { north, width, height } = frame
  // A list of names does not wait for what reads tiles.
  const { readTile, tilesIn } = await import('../../map/tiles.ts')
  const box: Bounds | undefined =
    extent && frame !== WORLD ? [extent.west, extent.south, extent.east, extent.north] : undefined
  // The smallest tile that contains them.
  const zooms = Array.from({ length: box ? MAX_TILE_ZOOM : 0 }, (_, n) => MAX_TILE_ZOOM - n)
  const [tile = '0/0/0'] = zooms.map((zoom) => (box ? tilesIn(box, zoom) : [])).find(({ length }) => length === 1) ?? []
  const points = source ? await readTile(source, tile, signal) : []
  const most = Math.max(...points.map(({ total }) => total))
  const rounded = (value: number) => Number(value.toFixed(2))
  // A pole is a little within the map.
  const margin = height / 45
  return points.map(({ x, y, total }) => ({
    x: rounded(x * WIDTH),
    y: rounded(NORTH - Math.max(north - height + margin, Math.min(north - margin, latitudeOf(y)))),
    radius: rounded((width / WIDTH) * (4 + 4 * Math.sqrt(total / most))),
  }))
}

let landPath: Promise<string> | undefined

function readLand(): Promise<string> {
  landPath ??= loadLand().catch((error: unknown) => {
    // The next map tries again.
    landPath = undefined
    throw error
  })
  return landPath
}

async function loadLand(): Promise<string> {
  const { coordinates }: { coordinates: [number, number][][][] } = await (await fetch(LAND)).json()
  return coordinates.flat().map(pathOf).join('')
}

/** The path of a ring. A ring across the antimeridian is drawn at both ends of the map. */
function pathOf(ring: [number, number][]): string {
  const turns = ring.some(([x]) => x > 180) ? [0, -360] : ring.some(([x]) => x < -180) ? [0, 360] : [0]
  return turns
    .map((turn) => `M${ring.map(([x, y]) => `${(x + 180 + turn).toFixed(1)} ${(NORTH - y).toFixed(1)}`).join('L')}Z`)
    .join('')
}
