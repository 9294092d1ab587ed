import { isSearch, type View } from '../data/address.ts'
import { categoryLabel, KnownCodes, NO_CODES } from '../data/codes.ts'
import { type Dataset, findDataset } from '../data/datasets.ts'
import { tileSources } from '../data/tile-sources.ts'
import { loadBaseMap, placeZoom, WORLD } from '../map/base-map.ts'
import { DARK, LIGHT } from '../map/colours.ts'
import type { ExplorerMap } from '../map/explorer-map.ts'
import { openLazyMap } from '../map/lazy-map.ts'
import { moveMap, moveToItems } from '../page/camera.ts'
import { showCredits, showStatus } from '../page/map-lines.tsx'
import { titleOf } from '../page/title.ts'
import { ApiError, messageOf } from '../shared/api-error.ts'
import { byId } from '../shared/element.ts'
import { t } from '../shared/text.ts'
import { readDatasets } from '../views/datasets/request.ts'
import { type Item, readItem } from '../views/item/request.ts'
import { type Legend, legendOf } from '../views/legend/legend.ts'
import { showLegend } from '../views/legend/legend-box.tsx'
import { readPlaces } from '../views/places/read-places.ts'
import { PlaceCard } from './place-card.tsx'

/*
 * The map in a frame. It shows one view of the explorer.
 */

export class FrameMap {
  readonly #view: View
  readonly #map: ExplorerMap
  readonly #card = new PlaceCard(byId('card', HTMLElement), () => this.#mark(undefined))
  readonly #codes = new KnownCodes()
  readonly #dark = matchMedia('(prefers-color-scheme: dark)')
  #legend: Legend | undefined
  #datasets: readonly Dataset[] = []
  #item: Item | undefined
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
      // Until the view is shown, it would end the reads of the view.
      onHome: () => this.#legend && this.#attempt((signal) => this.#goHome(signal)),
      onMove: () => {},
      onCentre: showStatus,
      onProblem: () => showStatus(t.mapIncomplete),
    }
    this.#map = openLazyMap(byId('map', HTMLElement), view.at, events, { isFramed: true })
    this.#dark.addEventListener('change', () => this.#draw())
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
    const { dataset, compared, item, at } = this.#view
    const [baseMap, datasets, codes] = await Promise.all([
      loadBaseMap().catch(() => WORLD),
      readDatasets(signal),
      dataset === undefined ? NO_CODES : this.#codes.of(dataset),
    ])
    this.#datasets = datasets
    if (!at) await this.#goHome(signal)
    const named = compared ?? [dataset ?? []].flat()
    const shown = named.flatMap((each) => findDataset(datasets, { dataset: each }) ?? [])
    const credited = named.length > 0 ? shown : datasets
    showCredits(
      credited.map(({ attribution }) => attribution),
      baseMap.credit,
    )
    document.title = titleOf(this.#view, dataset && shown[0]?.name, undefined)
    this.#legend = legendOf(this.#view, codes, datasets)
    this.#map.useBaseMap(baseMap)
    this.#draw()
    if (item !== undefined) await this.#showPlace(item, signal, placeZoom)
  }

  async #goHome(signal: AbortSignal): Promise<void> {
    const view = { ...this.#view, item: undefined, table: undefined }
    moveMap(this.#map, view, {}, this.#datasets)
    if (isSearch(view) && !view.within) moveToItems(this.#map, (await readPlaces(view, undefined, signal)).items)
  }

  async #showPlace(id: string, signal: AbortSignal, zoomOf: typeof placeZoom = () => 0): Promise<void> {
    const item = await readItem(id, signal)
    if (!item) return
    const category = await categoryLabel(item.categoryCode, this.#codes.of(this.#view.dataset ?? item.dataset.id))
    signal.throwIfAborted()
    this.#map.flyTo(Number(item.latitude), Number(item.longitude), zoomOf(item))
    this.#card.showPlace(item, category)
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
    this.#item = item
    this.#draw()
  }

  #draw(): void {
    const legend = this.#legend
    if (!legend) return
    const isDark = this.#dark.matches
    showLegend(legend, isDark ? DARK : LIGHT, false)
    this.#map.show({
      sources: tileSources(this.#view, legend.property, legend.entries.length > 1),
      near: this.#view.near,
      colouring: legend,
      chosen: this.#item,
      isDark,
    })
  }
}
