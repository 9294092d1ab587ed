import { ApiError } from '../shared/api-error.ts'
import type { Bounds } from './box.ts'
import type { Dot } from './place-groups.ts'
import { readTile, type TileSource, tilesIn } from './tiles.ts'

const MAX_ZOOM = 18

interface Actions {
  /** The dots of all visible tiles, when the last of them has come. */
  onDots: (dots: readonly Dot[]) => void
  onLoading: (isLoading: boolean) => void
  /** A tile that asking again would not give. If its dataset can't be read, the list says it. */
  onProblem: () => void
}

/** A tile that is read, or is being read. */
interface Tile {
  dots: Promise<Dot[]>
  stop: AbortController
}

/** Reads the tiles with the places of the visible part of the map. */
export class PlaceTiles {
  readonly #actions: Actions
  #sources: readonly TileSource[] = []
  #tiles = new Map<string, Tile>()

  constructor(actions: Actions) {
    this.#actions = actions
  }

  /** Reads other places from the next read on. Returns whether they have changed. Then the old dots are of other places. */
  use(sources: readonly TileSource[]): boolean {
    if (JSON.stringify(sources) === JSON.stringify(this.#sources)) return false
    for (const { stop } of this.#tiles.values()) stop.abort()
    this.#tiles = new Map()
    this.#sources = sources
    return true
  }

  /** Reads the tiles of a box that it does not have. */
  async read(box: Bounds, mapZoom: number): Promise<void> {
    const zoom = Math.min(MAX_ZOOM, Math.max(0, Math.floor(mapZoom)))
    const before = this.#tiles
    const tiles = new Map<string, Tile>()
    this.#tiles = tiles
    for (const source of this.#sources) {
      for (const address of tilesIn(box, zoom)) {
        const name = `${address} ${source.template}`
        tiles.set(name, before.get(name) ?? this.#start(source, address))
      }
    }
    for (const [name, { stop }] of before) if (!tiles.has(name)) stop.abort()
    this.#actions.onLoading(true)
    const dots = await Promise.all([...tiles.values()].map((tile) => tile.dots))
    // The next read says when it ends.
    if (tiles !== this.#tiles) return
    this.#actions.onLoading(false)
    this.#actions.onDots(dots.flat())
  }

  #start(source: TileSource, address: string): Tile {
    const stop = new AbortController()
    const dots = readTile(source, address, stop.signal).catch((error: unknown) => {
      const isRefused = error instanceof ApiError && [401, 403, 404].includes(error.status)
      if (!stop.signal.aborted && !isRefused) this.#actions.onProblem()
      return []
    })
    return { dots, stop }
  }
}
