import {
  badParts,
  hasPlaces,
  haveSamePlaces,
  isSearch,
  parseAddress,
  placesOf,
  roundedCircle,
  tableOf,
  type View,
} from '../data/address.ts'
import { firstPage } from '../data/table-columns.ts'
import { EVERYWHERE } from '../map/box.ts'
import { byId } from '../shared/element.ts'
import { readKey } from '../shared/key.ts'
import { onWaiting } from '../shared/patience.ts'
import { fill, t } from '../shared/text.ts'
import { closeControls } from '../views/places/controls.tsx'
import { type Search, type SearchForm, startSearch } from '../views/search/search-form.tsx'
import { followLinks, pushView, replaceView } from './links.ts'
import { showStatus, showWaiting } from './map-lines.tsx'
import { MapSide } from './map-side.ts'
import { isNarrow } from './narrow.ts'
import { ViewArea } from './view-area.tsx'
import { ViewReader } from './view-reader.tsx'

/** Keeps the current view, which is the address of the page, and opens others. */
export class Explorer {
  readonly #area = new ViewArea(byId('list', HTMLElement))
  readonly #side: MapSide
  readonly #search: SearchForm
  #view: View = parseAddress(location.search)
  #reader: ViewReader | undefined
  #reads = new AbortController()
  /** The radius in metres of a search around the point that a person is to click on. */
  #picking: number | undefined
  /** What the page was opened with, and does not know. It is said until the first view is there. */
  #badParts: readonly string[] = badParts(location.search)

  constructor() {
    this.#side = new MapSide(byId('map', HTMLElement), this.#view.at, {
      onPlace: (item) => this.open({ ...this.#view, item }),
      onPoint: (latitude, longitude, radius) =>
        this.open({ ...placesOf(this.#view), near: roundedCircle({ latitude, longitude, radius }) }),
      isPicking: () => this.#picking !== undefined,
      onGround: (latitude, longitude) =>
        this.#picking !== undefined && this.#searchNear({ latitude, longitude, radius: this.#picking }),
      onHome: () => this.#reader?.goHome(),
      onCentre: (message) => this.#picking !== undefined || showStatus(message),
      onMove: (at) => this.#noteMove(at),
      onProblem: () => showStatus(t.mapIncomplete),
    })
    this.#search = startSearch(byId('search', HTMLElement), {
      search: (search) => this.#openSearch(search),
      visibleBox: () => this.#side.map.visibleBox() ?? EVERYWHERE,
      openItem: (item) => this.#openSuggested(item),
      codesOf: (dataset) => this.#reader?.codesOf(dataset) ?? Promise.reject(new Error('There is no key')),
    })
    onWaiting(showWaiting)
    window.addEventListener('popstate', () => this.#goBack())
    followLinks((view) => this.open(view), this.#area)
  }

  /** Starts again with the current key, and drops everything that an earlier key has read. */
  restart(): void {
    this.#reader?.stop()
    if (readKey() !== undefined) this.#area.showSkeleton()
    this.#reader = new ViewReader(
      {
        area: this.#area,
        side: this.#side,
        search: this.#search,
        actions: {
          open: (view) => this.open(view),
          searchNear: (near) => this.#searchNear(near),
          pick: (radius) => this.#pick(this.#picking === undefined ? radius : undefined),
        },
        attempt: (action, signal) => void this.#attempt(action, signal),
      },
      this.#view,
    )
    // The bar changes its height with the key. A flight to a dataset ends beside it if the map changes its size on the way.
    this.#side.map.resize()
    void this.#show(this.#view)
  }

  /** Opens a view, with an entry in the history. */
  open(view: View): void {
    // A search that begins a moment later would replace this view.
    this.#search.stop()
    // The map of another order, page or choice of columns stays where the person has moved it.
    const next = haveSamePlaces(view, this.#view) ? { ...view, at: this.#view.at } : view
    pushView(next, this.#view, this.#area)
    const shown = this.#side.map.visibleBox()
    const hadTable = tableOf(this.#view) !== undefined
    void this.#show(next)
    // A table takes a part of the map's width.
    if (shown && next.at && hadTable !== (tableOf(next) !== undefined)) this.#side.map.fitExactly(shown)
  }

  async #show(view: View): Promise<void> {
    const before = this.#view
    this.#view = view
    this.#pick(undefined)
    this.#reads.abort()
    this.#reads = new AbortController()
    showStatus(this.#badParts.length > 0 ? fill(t.notUnderstood, { parts: this.#badParts.join(', ') }) : '')
    if (readKey() !== undefined) this.#badParts = []
    await this.#attempt(async (signal) => {
      const shown = await this.#reader?.read(view, before, signal)
      if (shown === undefined || shown === view || signal.aborted) return
      this.#view = { ...shown, at: this.#view.at }
      replaceView(this.#view)
    })
  }

  /** Reads data and shows them, or says what is wrong. */
  async #attempt(action: (signal: AbortSignal) => Promise<void>, signal = this.#reads.signal): Promise<void> {
    this.#area.isBusy = true
    await action(signal).catch((error: unknown) => {
      if (signal.aborted) return
      this.#search.say('')
      this.#area.showProblem(error, signal, () => void this.#show(this.#view))
    })
    if (!signal.aborted) this.#area.isBusy = false
  }

  /** Waits for a click on the map, or stops waiting. */
  #pick(radius: number | undefined): void {
    this.#picking = radius
    document.body.classList.toggle('picking', radius !== undefined)
    showStatus(radius === undefined ? '' : t.pickPoint)
  }

  /** Opens a search around a point, with the filters of the view. */
  #searchNear(near: NonNullable<View['near']>): void {
    // On a narrow screen the form would stand above the places.
    if (isNarrow()) closeControls()
    this.open({ ...placesOf(this.#view), near: roundedCircle(near), table: firstPage(this.#view.table) })
  }

  /** Opens a suggested place. If the search has found nothing, the place takes its entry in the history. */
  #openSuggested(item: string): void {
    // Then the heading of the place gets the focus, and a screen reader reads it.
    this.#area.focus()
    if (this.#reader?.isInVain) this.#replace({ ...placesOf(this.#view), item })
    else this.open({ ...this.#view, item, at: undefined })
  }

  /** Opens a search. If a search is open already, it replaces that search's entry in the history. */
  #openSearch(search: Search): void {
    const { dataset, category, area, at, item, table } = this.#view
    const view: View = {
      ...(search.dataset === dataset && { category, area }),
      ...search,
      ...(hasPlaces(search) && { table: firstPage(table) }),
      at: search.within ? at : undefined,
    }
    const isNext = isSearch(view) && isSearch(this.#view) && item === undefined
    if (isNext) this.#replace(view)
    else {
      pushView(view, this.#view, this.#area)
      void this.#show(view)
    }
  }

  /** Opens a view in place of the current one in the history. */
  #replace(view: View): void {
    replaceView(view)
    void this.#show(view)
  }

  /**
   * Writes the map's place into the address, in the same entry of the history. A search in the visible part of the map then
   * runs again. While an item is shown it does not, because the person goes back to the old list.
   */
  #noteMove(at: NonNullable<View['at']>): void {
    // A change of the map's size counts as a move. Before the datasets are read, the first view has not moved the map yet.
    if (!this.#reader?.hasDatasets) return
    const { within, item } = this.#view
    const box = within && item === undefined ? this.#side.map.visibleBox() : within
    const view = { ...this.#view, at, within: box }
    if (box?.join() !== within?.join()) this.#replace(view)
    else {
      replaceView(view)
      this.#view = view
    }
  }

  #goBack(): void {
    const view = parseAddress(location.search)
    this.#search.stop()
    this.#area.scrollNextTo(history.state?.scrolled)
    // The map reports its move at once, so the view must be set by then.
    void this.#show(view)
    if (view.at) this.#side.map.jumpTo(view.at)
  }
}
