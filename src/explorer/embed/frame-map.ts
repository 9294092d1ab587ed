import { isSearch, type View } from '../data/address.ts'
import { type Dataset, findDataset, KnownCodes, labelOf, NO_CODES } from '../data/datasets.ts'
import { placeZoom } from '../map/base-map.ts'
import { moveMap, moveToItems } from '../page/camera.ts'
import { showStatus } from '../page/map-lines.tsx'
import { MapSide, type MapState } from '../page/map-side.ts'
import { titleOf } from '../page/title.ts'
import { ApiError, messageOf } from '../shared/api-error.ts'
import { byId } from '../shared/element.ts'
import { t } from '../shared/text.ts'
import { readDatasets } from '../views/datasets/request.ts'
import { type Item, readItem } from '../views/item/request.ts'
import { readPlaces } from '../views/places/request.ts'
import { PlaceCard } from './place-card.tsx'

/** The map in a frame. It shows one view of the explorer. */
export class FrameMap {
  readonly #view: View
  readonly #side: MapSide
  readonly #card = new PlaceCard(byId('card', HTMLElement), () => this.#mark(undefined))
  readonly #codes = new KnownCodes()
  /** Until the view is shown, nothing may end its reads. */
  #state: MapState | undefined
  /** Ends the reads of a card when another one is opened. */
  #reads = new AbortController()

  constructor(view: View) {
    this.#view = view
    const events = {
      onPlace: (id: string) => this.#attempt((signal) => this.#showPlace(id, signal)),
      onPoint: (latitude: number, longitude: number, radius: number) =>
        this.#attempt((signal) => this.#showPoint({ latitude, longitude, radius }, signal)),
      isPicking: () => false,
      onGround: () => this.#card.close(),
      onHome: () => {
        const { datasets } = this.#state ?? {}
        if (datasets) this.#attempt((signal) => this.#goHome(datasets, signal))
      },
      onMove: () => {},
      onCentre: showStatus,
      onProblem: () => showStatus(t.mapIncomplete),
    }
    this.#side = new MapSide(byId('map', HTMLElement), view.at, events, { isFramed: true })
  }

  start(): void {
    this.#attempt((signal) => this.#showView(signal))
  }

  /** Shows an error in the place of what could not be read. */
  #attempt(action: (signal: AbortSignal) => Promise<unknown>): void {
    this.#reads.abort()
    this.#reads = new AbortController()
    const { signal } = this.#reads
    action(signal).catch((error: unknown) => {
      const isRefused = error instanceof ApiError && error.code === 'UNAUTHORIZED'
      if (!signal.aborted) this.#card.showProblem(isRefused ? t.frameKeyRefused : messageOf(error))
    })
  }

  /** Shows all at once: the tiles depend on the legend, and a person needs no flight to the first view. */
  async #showView(signal: AbortSignal): Promise<void> {
    const view = this.#view
    const codesOf = view.dataset === undefined ? NO_CODES : this.#codes.of(view.dataset)
    const [datasets, codes] = await Promise.all([readDatasets(signal), codesOf])
    if (!view.at) await this.#goHome(datasets, signal)
    document.title = titleOf(view, findDataset(datasets, view)?.name, undefined)
    this.#state = { view, hasKey: true, datasets, codes, item: undefined, proposed: [] }
    this.#side.draw(this.#state)
    if (view.item !== undefined) await this.#showPlace(view.item, signal, placeZoom)
  }

  async #goHome(datasets: readonly Dataset[], signal: AbortSignal): Promise<void> {
    const view = { ...this.#view, item: undefined, table: undefined }
    moveMap(this.#side.map, view, {}, datasets)
    if (isSearch(view) && !view.within) moveToItems(this.#side.map, (await readPlaces(view, undefined, signal)).items)
  }

  async #showPlace(id: string, signal: AbortSignal, zoomOf: typeof placeZoom = () => 0): Promise<void> {
    const item = await readItem(id, signal)
    if (!item) return
    const { categories } = await this.#codes.of(this.#view.dataset ?? item.dataset.id).catch(() => NO_CODES)
    signal.throwIfAborted()
    this.#side.map.flyTo(Number(item.latitude), Number(item.longitude), zoomOf(item))
    this.#card.showPlace(item, labelOf(item.categoryCode, categories))
    this.#mark(item)
  }

  /** Lists the places at one point. */
  async #showPoint(near: NonNullable<View['near']>, signal: AbortSignal): Promise<void> {
    const { dataset, compared = [dataset], table: _, ...view } = this.#view
    const results = await Promise.all(
      compared.map((each) => readPlaces({ ...view, dataset: each, near }, undefined, signal)),
    )
    const totals = await Promise.all(results.map(({ total }) => total))
    signal.throwIfAborted()
    this.#card.showList(
      results.flatMap(({ items }) => items),
      totals.reduce((sum, total) => sum + total, 0),
      (id) => this.#attempt((next) => this.#showPlace(id, next)),
    )
    this.#mark(undefined)
  }

  #mark(item: Item | undefined): void {
    if (!this.#state) return
    this.#state = { ...this.#state, item }
    this.#side.draw(this.#state)
  }
}
