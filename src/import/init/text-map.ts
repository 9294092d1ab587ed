/** Land in cells of 5 by 7.5 degrees, from 90 degrees north and 180 degrees west. Made of Natural Earth (world-atlas). */
const LAND = [
  '',
  '                 ...............       .               ..',
  '   .....  ............   .............. ..  .    .................',
  '  .....................................................................',
  '    .    .......... ....           . ...........................   ..',
  '           ..............          .............................',
  '           ...........            ...  .......................  .',
  '            .........             ..... ....................  ..',
  '             ....                ...........................',
  '               ....              ...............  ...  ...',
  '                  .. ...         .............     .    ..  .',
  '                    ......        .. .........          . ..',
  '                    .........         ......            . ..   ..',
  '                    .........         ......                  . .',
  '                      ......          ...... .              ......',
  '                      .....            ....                ........',
  '                     .....              ..                 ..  ....',
  '                     ...                                         .',
  '                     ..',
  '',
  '',
  '                     ...         .....................................',
  '     ..................   .  ........................................',
  '     ..',
]

const WIDTH = 72
const HEIGHT = LAND.length

interface Place {
  longitude: number
  latitude: number
}

/** Collects places, and draws them on a map of the world in text. */
export class TextMap {
  readonly #cells = new Set<number>()
  #extent: { west: number; south: number; east: number; north: number } | undefined

  add({ longitude, latitude }: Place): void {
    const column = Math.min(WIDTH - 1, Math.floor(((longitude + 180) / 360) * WIDTH))
    const row = Math.min(HEIGHT - 1, Math.floor(((90 - latitude) / 180) * HEIGHT))
    this.#cells.add(row * WIDTH + column)
    const known = this.#extent ?? { west: longitude, south: latitude, east: longitude, north: latitude }
    this.#extent = {
      west: Math.min(known.west, longitude),
      south: Math.min(known.south, latitude),
      east: Math.max(known.east, longitude),
      north: Math.max(known.north, latitude),
    }
  }

  /** The lines of the map, with the parallels between which the places lie; none without places. */
  draw(): string[] {
    if (!this.#extent) return []
    const { west, south, east, north } = this.#extent
    const lines = LAND.map((land, row) =>
      Array.from({ length: WIDTH }, (_, column) =>
        this.#cells.has(row * WIDTH + column) ? '@' : (land[column] ?? ' '),
      )
        .join('')
        .trimEnd(),
    )
    const used = lines.flatMap((line, row) => (line === '' ? [] : [row]))
    const extent = `@ items: latitude ${round(south)} to ${round(north)}, longitude ${round(west)} to ${round(east)}`
    return [...lines.slice(used[0], (used.at(-1) ?? 0) + 1), extent]
  }
}

function round(degrees: number): string {
  return String(Number(degrees.toFixed(3)))
}
