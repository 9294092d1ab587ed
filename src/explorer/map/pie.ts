import type { FeatureCollection } from 'geojson'
import type { Map as MapView } from 'maplibre-gl'

/*
 * The image of a cluster: a ring whose arcs are its shares, around the room for its number.
 */

/** Pixels. */
const RING = 4
const EDGE = 1

export interface Pie {
  radius: number
  /** The colours of the arcs and their numbers of items. */
  arcs: readonly (readonly [colour: string, n: number])[]
  /** The colours of the middle, and of the edge. */
  middle: string
  edge: string
}

/** Draws a pie, in device pixels. */
function drawPie({ radius, arcs, middle, edge }: Pie, pixelRatio: number): ImageData {
  const size = Math.ceil(2 * (radius + EDGE) * pixelRatio)
  const context = new OffscreenCanvas(size, size).getContext('2d')
  if (!context) throw new Error('The browser can’t draw images')
  const disc = (colour: string, discRadius: number, from = 0, to = 2 * Math.PI) => {
    context.fillStyle = colour
    context.beginPath()
    context.moveTo(size / 2, size / 2)
    context.arc(size / 2, size / 2, discRadius * pixelRatio, from, to)
    context.fill()
  }
  disc(edge, radius + EDGE)
  const total = arcs.reduce((sum, [, n]) => sum + n, 0)
  // From the top, clockwise.
  let angle = -Math.PI / 2
  for (const [colour, n] of arcs) {
    const next = angle + (2 * Math.PI * n) / total
    disc(colour, radius, angle, next)
    angle = next
  }
  disc(middle, radius - RING)
  return context.getImageData(0, 0, size, size)
}

/** From this number on, pies that the map does not show are dropped. */
const MAX_PIES = 1000

/** Draws the pies of the places. The name of each describes it. */
export function addPies(map: MapView, { features }: FeatureCollection): void {
  const shown = new Set<string>(features.flatMap(({ properties }) => properties?.icon ?? []))
  const known = map.listImages().filter((name) => name.startsWith('{'))
  if (known.length > MAX_PIES) for (const name of known) if (!shown.has(name)) map.removeImage(name)
  // MapLibre smooths an image between pixels only if its ratio is not that of the screen.
  const pixelRatio = devicePixelRatio * 2
  for (const name of shown) {
    if (!map.hasImage(name)) map.addImage(name, drawPie(JSON.parse(name), pixelRatio), { pixelRatio })
  }
}
