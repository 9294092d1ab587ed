import { latitudeOf } from './box.ts'
import { readTile, tileSources } from './tiles.ts'

/*
 * A small map of the world with the places of a dataset, as SVG.
 */

const WIDTH = 360
const HEIGHT = 136
const NORTH = 78
const SVG = 'http://www.w3.org/2000/svg'
const LAND = new URL('../lib/world/land.json', import.meta.url).pathname

interface Land {
  coordinates: [number, number][][][]
}

let landPath: Promise<string> | undefined

/** Creates the map. It draws the land and the places as soon as they are loaded. */
export function smallMap(dataset: string, signal: AbortSignal): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`)
  svg.setAttribute('class', 'small-map')
  svg.setAttribute('aria-hidden', 'true')
  const land = document.createElementNS(SVG, 'path')
  svg.append(land)
  landPath ??= readLand()
  landPath
    .then((path) => land.setAttribute('d', path))
    .catch(() => {
      // The next map tries again.
      landPath = undefined
    })
  // A key may access hundreds of datasets, so only visible maps read their places.
  const sight = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    sight.disconnect()
    void drawPlaces(svg, dataset, signal)
  })
  sight.observe(svg)
  return svg
}

async function drawPlaces(svg: SVGSVGElement, dataset: string, signal: AbortSignal): Promise<void> {
  try {
    const [source] = tileSources({ dataset }, 'datasetId', false)
    const points = source ? await readTile(source, '0/0/0', signal) : []
    const most = Math.max(...points.map(({ total }) => total))
    for (const { x, y, total } of points) {
      const dot = document.createElementNS(SVG, 'circle')
      dot.setAttribute('cx', (x * 360).toFixed(1))
      dot.setAttribute('cy', Math.max(3, Math.min(HEIGHT - 3, NORTH - latitudeOf(y))).toFixed(1))
      dot.setAttribute('r', (2.5 + 3 * Math.sqrt(total / most)).toFixed(1))
      svg.append(dot)
    }
  } catch {
    // No message here: the list reports problems of the server or the key.
    svg.classList.add('empty')
  }
}

async function readLand(): Promise<string> {
  const { coordinates }: Land = await (await fetch(LAND)).json()
  return coordinates.flat().map(pathOf).join('')
}

/** The path of a ring. A ring across the antimeridian is drawn at both ends of the map. */
function pathOf(ring: [number, number][]): string {
  const turns = ring.some(([x]) => x > 180) ? [0, -360] : ring.some(([x]) => x < -180) ? [0, 360] : [0]
  return turns
    .map((turn) => `M${ring.map(([x, y]) => `${(x + 180 + turn).toFixed(1)} ${(NORTH - y).toFixed(1)}`).join('L')}Z`)
    .join('')
}
