import type { VNode } from 'preact'
import { hasPlaces, isSearch, tableOf, type View } from '../data/address.ts'
import { type CodesOf, type Dataset, findDataset, KnownCodes, NO_CODES } from '../data/datasets.ts'
import { placeZoom } from '../map/base-map.ts'
import type { Position } from '../map/box.ts'
import { readKey } from '../shared/key.ts'
import { Context, type ViewContext } from '../views/context.tsx'
import { readDatasets } from '../views/datasets/request.ts'
import type { Item } from '../views/item/request.ts'
import { legendOf } from '../views/legend/legend.ts'
import type { SearchForm } from '../views/search/search-form.tsx'
import { WelcomeView } from '../views/welcome/welcome-view.tsx'
import { moveMap, moveToItems } from './camera.ts'
import type { Loaded } from './load-place-view.tsx'
import { isFirstView, loadView, loadViews } from './load-view.tsx'
import { drawnView, type MapSide, type MapState } from './map-side.ts'
import { titleOf } from './title.ts'
import type { ViewArea } from './view-area.tsx'

/*
 * Reads a view, and shows it in the list, in the search and on the map.
 */

interface Parts {
  area: ViewArea
  side: MapSide
  search: SearchForm
  /** What the views do with the page. */
  actions: Pick<ViewContext, 'open' | 'searchNear' | 'pick'>
  /** Runs what is read later, as the view itself was. */
  attempt: (action: () => Promise<void>, signal: AbortSignal) => void
}

/** What one key has read. */
export class ViewReader {
  readonly #parts: Parts
  readonly #known = new KnownCodes()
  #datasets: readonly Dataset[] = []
  #state: MapState
  /** The found places, for the map. None if the view has only some of them. */
  #found: readonly Position[] = []

  constructor(parts: Parts, view: View) {
    this.#parts = parts
    this.#state = { view, hasKey: false, datasets: [], codes: NO_CODES, item: undefined, proposed: [] }
    // The map drops the tiles that an earlier key has read.
    parts.side.draw(this.#state)
  }

  /** Ends the reads of codes: another key may not see them. */
  stop(): void {
    this.#known.stop()
  }

  get hasDatasets(): boolean {
    return this.#datasets.length > 0
  }

  /** Whether a search has found nothing, and places are proposed. */
  get isInVain(): boolean {
    return isSearch(this.#state.view) && this.#state.proposed.length > 0
  }

  /** The codes of a dataset, for labels. */
  readonly codesOf: CodesOf = (dataset) => this.#known.of(dataset)

  /** Reads and shows a view. Returns the view as it is shown. */
  async read(view: View, before: View, signal: AbortSignal): Promise<View> {
    const { area, search, side } = this.#parts
    const hasKey = readKey() !== undefined
    area.hasTable = hasKey && view.item === undefined && tableOf(view) !== undefined
    if (!hasKey) {
      search.hide()
      this.#draw({ view, hasKey, item: undefined, proposed: [] })
      this.#show(<WelcomeView view={view} />, view)
      return view
    }
    // The code of the other views comes beside the datasets, or after the list of them.
    if (!isFirstView(view)) prepareViews()
    if (this.#needsDatasets(view)) this.#datasets = await readDatasets(signal)
    signal.throwIfAborted()
    const drawn = drawnView(view, this.#datasets)
    if (drawn && view.at === undefined) moveMap(side.map, drawn, before, this.#datasets)
    const shown = await this.#readContent(view, before, signal)
    prepareViews()
    return shown
  }

  /** Moves the map to everything that the view shows. All places of a long search are somewhere in their datasets. */
  goHome(): void {
    const { map } = this.#parts.side
    // Without a key the view shows nothing, and the message about a refused key would be wrong.
    const drawn = readKey() === undefined ? undefined : drawnView(this.#state.view, this.#datasets)
    if (!drawn) return
    const { dataset, compared, near, within, text } = drawn
    const isByName = text !== undefined && !near && !within
    if (isByName && this.#found.length > 0) moveToItems(map, this.#found)
    else moveMap(map, { dataset, compared, near, within }, {}, this.#datasets)
  }

  /** A view of the datasets shows them as they are now, and a view of one may name a dataset that is new. */
  #needsDatasets(view: View): boolean {
    if (this.#datasets.length === 0 || (view.dataset !== undefined && !findDataset(this.#datasets, view))) return true
    return !hasPlaces(view) && view.item === undefined
  }

  async #readContent(view: View, before: View, signal: AbortSignal): Promise<View> {
    const { search } = this.#parts
    const { item, codes: last } = this.#state
    search.show(view, this.#datasets)
    this.#draw({
      view,
      hasKey: true,
      item: item?.id === view.item ? item : undefined,
      proposed: [],
      codes: view.dataset === before.dataset ? last : NO_CODES,
    })
    const codes = view.dataset === undefined ? Promise.resolve(NO_CODES) : this.#known.read(view.dataset)
    const drawn = codes.then((known) => {
      signal.throwIfAborted()
      if (view.dataset !== undefined) this.#draw({ codes: known })
    })
    // What is wrong with the list is said before what is wrong with its codes.
    drawn.catch(() => {})
    const more = (load: () => Promise<Loaded>) => this.#showMore(load, signal)
    const loaded = await loadView(view, { datasets: this.#datasets, codes, signal, more })
    signal.throwIfAborted()
    if (loaded) this.#showLoaded(loaded, signal)
    await drawn
    return loaded?.view ?? view
  }

  #showLoaded(loaded: Loaded, signal: AbortSignal): void {
    const { content, view, item, found, proposed = [] } = loaded
    const { search, side } = this.#parts
    this.#draw({ view, item, proposed })
    this.#show(content, view, item)
    if (item) {
      // Then the form searches the dataset to which the way back leads.
      if (view.dataset === undefined && !hasPlaces(view))
        search.show({ ...view, dataset: item.dataset.slug }, this.#datasets)
      if (view.at === undefined) side.map.flyTo(Number(item.latitude), Number(item.longitude), placeZoom(item))
    }
    if (!found) return
    this.#sayFound(loaded)
    this.#keepFound(found, signal)
    if (view.at) return
    if (view.near && proposed.length > 0) moveToItems(side.map, [...proposed, view.near])
    else if (isSearch(view) && !view.within && (view.table?.page ?? 1) === 1) moveToItems(side.map, found.places)
  }

  /** The new places are read on from the first of them. */
  #showMore(load: () => Promise<Loaded>, signal: AbortSignal): void {
    const { area, attempt } = this.#parts
    const before = area.element.querySelectorAll('ol.places > li').length
    attempt(async () => {
      const loaded = await load()
      signal.throwIfAborted()
      area.replace(this.#inContext(loaded.content, loaded.view), () =>
        area.element.querySelectorAll<HTMLElement>('ol.places a').item(before),
      )
      this.#sayFound(loaded)
    }, signal)
  }

  #sayFound({ view, found }: Loaded): void {
    if (found) this.#parts.search.sayTotal(view, found.least, found.total)
  }

  /** Keeps the found places if they are all. */
  #keepFound({ places, total }: NonNullable<Loaded['found']>, signal: AbortSignal): void {
    this.#found = []
    total.then(
      (count) => {
        if (!signal.aborted && places.length === count) this.#found = places
      },
      () => {},
    )
  }

  #show(content: VNode, view: View, item?: Item): void {
    this.#parts.area.show(this.#inContext(content, view))
    const dataset = item?.dataset.name ?? findDataset(this.#datasets, view)?.name
    document.title = titleOf(view, dataset, item?.name)
  }

  #inContext(content: VNode, view: View): VNode {
    const context: ViewContext = {
      view,
      datasets: this.#datasets,
      dataset: findDataset(this.#datasets, view),
      // The dataset of the view may have a slug in the address.
      codesOf: (id) => this.#known.of(view.dataset ?? id),
      legend: this.#legendOf(view),
      ...this.#parts.actions,
    }
    return <Context.Provider value={context}>{content}</Context.Provider>
  }

  async #legendOf(view: View) {
    // Without a key there are no codes to read.
    const codes =
      view.dataset === undefined || !this.#state.hasKey
        ? NO_CODES
        : await this.#known.of(view.dataset).catch(() => NO_CODES)
    return legendOf(view, codes, this.#datasets)
  }

  #draw(change: Partial<MapState>): void {
    this.#state = { ...this.#state, ...change, datasets: this.#datasets }
    this.#parts.side.draw(this.#state)
  }
}

/** If it fails, opening a view says so. */
function prepareViews(): void {
  loadViews().catch(() => {})
}
