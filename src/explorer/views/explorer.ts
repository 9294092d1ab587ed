import { loadBaseMap, placeZoom, WORLD } from '../map/base-map.ts'
import { EVERYWHERE, type Position } from '../map/box.ts'
import { moveMap, moveToItems } from '../map/camera.ts'
import { DARK, LIGHT } from '../map/colours.ts'
import { openLazyMap } from '../map/lazy-map.ts'
import { type Legend, legendOf } from '../map/legend.ts'
import { showLegend } from '../map/legend-box.ts'
import type { ExplorerMap } from '../map/map.ts'
import { showCredits, showStatus, showWaiting } from '../map/map-lines.ts'
import { messageOf } from '../shared/error-text.ts'
import { readKey } from '../shared/key.ts'
import { onWaiting } from '../shared/patience.ts'
import { t } from '../shared/text.ts'
import { aboutView, readAbout } from './about-view.ts'
import {
  badParts,
  formatAddress,
  hasPlaces,
  haveSamePlaces,
  isSearch,
  parseAddress,
  roundedCircle,
  tableOf,
  type View,
} from './address.ts'
import { type Codes, type CodesOf, KnownCodes, NO_CODES } from './codes.ts'
import { compareView } from './compare-view.ts'
import { closeControls } from './controls.ts'
import { type Dataset, findDataset, type Item, type ListedItem, readDatasets, readItem } from './data.ts'
import { datasetsView } from './datasets-view.ts'
import { itemView } from './item-view.ts'
import { isNarrow } from './narrow.ts'
import type { NearbyActions } from './nearby-form.ts'
import { placesView } from './places-view.ts'
import { PointPicker } from './point-picker.ts'
import { problemView } from './problem.ts'
import { PAGE_SIZE, readNearest, readResults, readTable } from './results.ts'
import { type Search, SearchForm } from './search-form.ts'
import { readSuggestions } from './suggestions.ts'
import { firstPage, type Table } from './table-columns.ts'
import { tableView } from './table-view.ts'
import { titleOf } from './title.ts'
import { ViewArea } from './view-area.ts'
import { welcomeView } from './welcome-view.ts'

/*
 * Keeps the current view, which is also in the address bar. Reads its data, and passes them to the list and the map.
 */

export class Explorer {
  readonly #area: ViewArea
  readonly #map: ExplorerMap
  readonly #dark = matchMedia('(prefers-color-scheme: dark)')
  #view: View = parseAddress(location.search)
  #datasets: readonly Dataset[] = []
  #items: ListedItem[] = []
  /** The found places, for the map. None if the view has only some of them. */
  #found: readonly Position[] = []
  #item: Item | undefined
  /** What a search without results proposes. */
  #proposed: readonly ListedItem[] = []
  /** Those of the dataset, for the legend. */
  #codes: Codes = NO_CODES
  #known = new KnownCodes()
  #mapCredit = ''
  /** What the page was opened with, and does not know. It is said until the first view is there. */
  #badParts: readonly string[] = badParts(location.search)
  readonly #picker = new PointPicker()
  readonly #search = new SearchForm({
    search: (search) => this.#openSearch(search),
    visibleBox: () => this.#map.visibleBox() ?? EVERYWHERE,
    openItem: (item) => {
      // Then the heading of the place gets the focus, and a screen reader reads it.
      this.#area.focus()
      this.#openSuggested(item)
    },
    codesOf: (dataset) => this.#known.of(dataset),
  })
  #reads = new AbortController()

  constructor(list: HTMLElement, map: HTMLElement) {
    this.#area = new ViewArea(list)
    this.#map = openLazyMap(map, this.#view.at, {
      onPlace: (item) => this.open({ ...this.#view, item }),
      onPoint: (latitude, longitude, radius) => {
        const { dataset, compared, category, area } = this.#view
        this.open({ dataset, compared, category, area, near: roundedCircle({ latitude, longitude, radius }) })
      },
      isPicking: () => this.#picker.isWaiting,
      onGround: (latitude, longitude) => this.#pick(latitude, longitude),
      onHome: () => this.#goHome(),
      onCentre: (message) => this.#picker.isWaiting || showStatus(message),
      onMove: (at) => this.#noteMove(at),
      onProblem: () => showStatus(t.mapIncomplete),
    })
    void this.#loadBaseMap()
    onWaiting(showWaiting)
    window.addEventListener('popstate', () => {
      const view = parseAddress(location.search)
      this.#search.stop()
      this.#area.scrollNextTo(history.state?.scrolled)
      // The map reports its move at once, so the view must be set by then.
      void this.#show(view)
      if (view.at) this.#map.jumpTo(view.at)
    })
    this.#dark.addEventListener('change', () => this.#drawMap())
    document.addEventListener('click', (event) => this.#followLink(event))
  }

  /** The map of the package stands in for a configured one that can't be loaded. */
  async #loadBaseMap(): Promise<void> {
    const baseMap = await loadBaseMap().catch((error: unknown) => {
      showStatus(t.baseMapFailed(messageOf(error)))
      return WORLD
    })
    this.#mapCredit = baseMap.credit
    this.#map.useBaseMap(baseMap)
    this.#showCredit()
  }

  /** Starts again with the current key, and drops everything that an earlier key has read. */
  restart(): void {
    this.#datasets = []
    this.#items = []
    this.#found = []
    this.#item = undefined
    this.#codes = NO_CODES
    this.#known.stop()
    this.#known = new KnownCodes()
    if (readKey() !== undefined) this.#area.showSkeleton()
    // The map drops the tiles that an earlier key has read.
    this.#drawMap(false)
    // The bar changes its height with the key. A flight to a dataset ends beside it if the map changes its size on the way.
    this.#map.resize()
    void this.#show(this.#view)
  }

  /** Opens a view, with an entry in the history. */
  open(view: View): void {
    // A search that begins a moment later would replace this view.
    this.#search.stop()
    // The map of another order, page or choice of columns stays where the person has moved it.
    const next = haveSamePlaces(view, this.#view) ? { ...view, at: this.#view.at } : view
    this.#push(next)
    const shown = this.#map.visibleBox()
    const hadTable = tableOf(this.#view) !== undefined
    this.#show(next)
    // A table takes a part of the map's width.
    if (shown && next.at && hadTable !== (tableOf(next) !== undefined)) this.#map.fitExactly(shown)
  }

  /** Adds an entry to the history. The one before keeps how far its view is scrolled. */
  #push(view: View): void {
    history.replaceState({ ...history.state, scrolled: this.#area.scrollTop }, '')
    history.pushState({ before: formatAddress({ ...this.#view, at: undefined }) }, '', formatAddress(view))
    this.#area.scrollNextTo(undefined)
  }

  async #show(view: View): Promise<void> {
    const before = this.#view
    this.#view = view
    this.#picker.take()
    this.#reads.abort()
    this.#reads = new AbortController()
    const { signal } = this.#reads
    await this.#attempt(() => this.#read(view, before, signal), signal)
  }

  /** Reads data and shows them. An error replaces the list, unless another view is being opened. */
  async #attempt(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#area.isBusy = true
    try {
      await action()
    } catch (error) {
      if (signal.aborted) return
      this.#search.say('')
      const problem = problemView(error, () => this.#show(this.#view))
      // The page has already forgotten a refused key, and says so.
      if (signal.aborted) return
      this.#area.replace(problem, problem.querySelector<HTMLElement>('.button'))
      document.title = titleOf({}, t.problem, undefined)
    }
    if (!signal.aborted) this.#area.isBusy = false
  }

  async #read(view: View, before: View, signal: AbortSignal): Promise<void> {
    showStatus(this.#badParts.length > 0 ? t.notUnderstood(this.#badParts.join(', ')) : '')
    this.#area.hasTable = readKey() !== undefined && view.item === undefined && tableOf(view) !== undefined
    if (readKey() === undefined) {
      this.#search.hide()
      this.#showCredit()
      this.#drawMap()
      return this.#showView(welcomeView(view))
    }
    this.#badParts = []
    if (this.#needsDatasets(view)) this.#datasets = await readDatasets(signal)
    signal.throwIfAborted()
    const drawn = this.#drawnView()
    await Promise.all([
      drawn && view.at === undefined && moveMap(this.#map, drawn, before, signal),
      this.#readContent(view, before, signal),
    ])
  }

  async #readContent(view: View, before: View, signal: AbortSignal): Promise<void> {
    if (this.#item?.id !== view.item) this.#item = undefined
    this.#proposed = []
    this.#search.show(view, this.#datasets)
    this.#showCredit()
    if (view.dataset !== before.dataset) this.#codes = NO_CODES
    this.#drawMap()
    const codes = view.dataset === undefined ? undefined : this.#known.read(view.dataset)
    const drawn = codes?.then((known) => {
      signal.throwIfAborted()
      this.#codes = known
      this.#drawMap()
    })
    // What is wrong with the list is said before what is wrong with its codes.
    drawn?.catch(() => {})
    await this.#showContent(view, codes ?? Promise.resolve(NO_CODES), signal)
    await drawn
  }

  /** Shows the list without waiting for the codes, which are those of the dataset. */
  async #showContent(view: View, codes: Promise<Codes>, signal: AbortSignal): Promise<void> {
    const table = tableOf(view)
    if (view.item !== undefined) await this.#showItem(view, signal)
    else if (view.isAbout && view.dataset !== undefined) await this.#showAbout(view, view.dataset, codes, signal)
    else if (view.compared) await this.#showCompared(view, view.compared, signal)
    else if (table) await this.#showTable(view, table, codes, signal)
    else if (hasPlaces(view)) await this.#showPlaces(view, 1, codes, signal)
    else
      this.#showView(
        datasetsView(this.#datasets, { ...this.#nearbyActions(view), open: (next) => this.open(next) }, signal),
      )
  }

  /** A view of the datasets shows them as they are now, and a view of one may name a dataset that is new. */
  #needsDatasets(view: View): boolean {
    if (this.#datasets.length === 0 || (view.dataset !== undefined && !this.#dataset())) return true
    return !hasPlaces(view) && view.item === undefined
  }

  async #showItem(view: View, signal: AbortSignal): Promise<void> {
    const item = await readItem(view.item ?? '', signal)
    signal.throwIfAborted()
    if (!item) return
    this.#item = item
    // Then the form searches the dataset to which the way back leads.
    if (view.dataset === undefined && !hasPlaces(view))
      this.#search.show({ ...view, dataset: item.dataset.slug }, this.#datasets)
    this.#showView(itemView(item, view, this.#known.of(view.dataset ?? item.dataset.id)))
    this.#showCredit()
    this.#drawMap()
    if (view.at === undefined) this.#map.flyTo(Number(item.latitude), Number(item.longitude), placeZoom(item))
  }

  async #showPlaces(
    view: View,
    page: number,
    codes: Promise<Codes>,
    signal: AbortSignal,
    known?: Promise<number>,
  ): Promise<void> {
    const results = await readResults(view, page, signal, known)
    signal.throwIfAborted()
    // Two clicks on "Show more" would read the same page twice.
    const items = [...this.#items.slice(0, (page - 1) * PAGE_SIZE), ...results.items]
    const suggestions = items.length === 0 ? await this.#propose(view, signal) : undefined
    this.#items = items
    const list = placesView(
      {
        view,
        dataset: this.#dataset(),
        codes,
        codesOf: this.#codesOf(view),
        legend: this.#comingLegend(view),
        ...(suggestions && { suggestions }),
        ...results,
        items,
        least: items.length,
      },
      {
        open: (next) => this.open(next),
        more: () => this.#attempt(() => this.#showPlaces(view, page + 1, codes, signal, results.total), signal),
        ...this.#nearbyActions(view),
      },
    )
    // The new places are read on from the first of them.
    if (page === 1) this.#showView(list)
    else this.#area.replace(list, list.querySelectorAll<HTMLElement>('ol.places a')[(page - 1) * PAGE_SIZE])
    this.#search.sayTotal(view, items.length, results.total)
    if (page === 1) this.#moveToFound(view, items, results.total, signal)
  }

  async #showAbout(view: View, slug: string, codes: Promise<Codes>, signal: AbortSignal): Promise<void> {
    const [about, known] = await Promise.all([readAbout(slug, signal), codes])
    signal.throwIfAborted()
    const dataset = this.#dataset()
    if (dataset) this.#showView(aboutView(dataset, about, known, view))
  }

  async #showCompared(view: View, compared: readonly string[], signal: AbortSignal): Promise<void> {
    const known = compared.filter((dataset) => findDataset(this.#datasets, { dataset }))
    const read = (dataset: string) => readResults({ ...view, dataset, compared: undefined }, 1, signal)
    // What is wrong with one dataset is said in its column, unless there is no other.
    const results = await Promise.all(
      compared.map((slug) => {
        const isAlone = known.length === 0 || known.includes(slug)
        return isAlone ? read(slug) : read(slug).catch((error: unknown) => ({ error }))
      }),
    )
    signal.throwIfAborted()
    const lists = results.flatMap((each) => ('error' in each ? [] : each))
    const found = lists.flatMap(({ items }) => items)
    const total = Promise.all(lists.map((each) => each.total)).then((all) => all.reduce((sum, each) => sum + each, 0))
    const [codesOf, legend] = [this.#codesOf(view), this.#comingLegend(view)]
    this.#showView(compareView({ view, datasets: this.#datasets, results, codesOf, legend }))
    this.#search.sayTotal(view, found.length, total)
    this.#moveToFound(view, found, total, signal)
  }

  async #showTable(view: View, table: Table, codes: Promise<Codes>, signal: AbortSignal): Promise<void> {
    const { total, rows } = await readTable(view, table, signal)
    const last = rows.length === 0 ? Math.ceil((await total) / PAGE_SIZE) : table.page
    signal.throwIfAborted()
    if (last >= 1 && last < table.page) return this.#showLastPage(view, { ...table, page: last }, codes, signal)
    const suggestions = rows.length === 0 && table.page === 1 ? await this.#propose(view, signal) : undefined
    const codesOf = this.#codesOf(view)
    const least = rows.length === 0 ? 0 : (table.page - 1) * PAGE_SIZE + rows.length
    const element = tableView({ view, table, codesOf, rows, total }, (next) => this.open(next))
    this.#showView(
      placesView(
        {
          view,
          dataset: this.#dataset(),
          codes,
          codesOf,
          legend: this.#comingLegend(view),
          items: [],
          least,
          total,
          ...(suggestions && { suggestions }),
          table: element,
        },
        { open: (next) => this.open(next), more: () => {}, ...this.#nearbyActions(view) },
      ),
    )
    this.#search.sayTotal(view, least, total)
    if (table.page === 1) this.#moveToFound(view, rows, total, signal)
    else this.#found = []
  }

  /** A link may have a page that the dataset no longer has. */
  async #showLastPage(view: View, table: Table, codes: Promise<Codes>, signal: AbortSignal): Promise<void> {
    this.#view = { ...view, table }
    history.replaceState(history.state, '', formatAddress(this.#view))
    await this.#showTable(this.#view, table, codes, signal)
  }

  /** Reads what was probably meant, or the nearest place, and marks it on the map. */
  async #propose(view: View, signal: AbortSignal): Promise<readonly ListedItem[]> {
    const { near, at } = view
    const proposed = near ? await readNearest(view, near, signal) : await readSuggestions(view, signal)
    signal.throwIfAborted()
    this.#proposed = proposed
    this.#drawMap()
    if (!near) this.#moveToFound(view, proposed, Promise.resolve(0), signal)
    else if (!at && proposed.length > 0) moveToItems(this.#map, [...proposed, near])
    return proposed
  }

  /** The codes for the labels of a view. Its dataset may have a slug in the address. */
  #codesOf({ dataset }: View): CodesOf {
    return (id) => this.#known.of(dataset ?? id)
  }

  /** The legend for the list, when the codes are known. */
  async #comingLegend(view: View): Promise<Legend> {
    const codes = view.dataset === undefined ? NO_CODES : await this.#known.of(view.dataset).catch(() => NO_CODES)
    return legendOf(view, codes, this.#datasets)
  }

  /** A search by name moves the map when its results are known. */
  #moveToFound(view: View, found: readonly Position[], total: Promise<number>, signal: AbortSignal): void {
    this.#found = []
    total.then(
      (count) => {
        if (!signal.aborted && found.length === count) this.#found = found
      },
      () => {},
    )
    if (isSearch(view) && !view.within && !view.at) moveToItems(this.#map, found)
  }

  #nearbyActions({ dataset, compared, category, area, table }: View): NearbyActions {
    return {
      pick: (radius) => this.#picker.toggle(radius),
      search: (point) => {
        // On a narrow screen the form would stand above the places.
        if (isNarrow()) closeControls()
        this.open({ dataset, compared, category, area, near: roundedCircle(point), table: firstPage(table) })
      },
    }
  }

  #showView(content: HTMLElement): void {
    this.#area.show(content)
    this.#showTitle()
  }

  #showTitle(): void {
    document.title = titleOf(this.#view, this.#item?.dataset.name ?? this.#dataset()?.name, this.#item?.name)
  }

  #drawMap(hasKey = readKey() !== undefined): void {
    const legend = this.#legend(hasKey)
    showLegend(legend, this.#dark.matches ? DARK : LIGHT)
    const drawn = this.#drawnView()
    this.#map.show({
      hasPlaces: hasKey && drawn !== undefined,
      legend,
      view: drawn ?? this.#view,
      chosen: this.#item,
      proposed: this.#proposed,
      isDark: this.#dark.matches,
    })
  }

  /** The view with those of its datasets that are there: the others have no tiles. Undefined if there are none of them. */
  #drawnView(): View | undefined {
    const { dataset, compared } = this.#view
    const isThere = (slug: string) => findDataset(this.#datasets, { dataset: slug }) !== undefined
    const known = compared?.filter(isThere)
    if (known?.length === 0 || (dataset !== undefined && !isThere(dataset))) return undefined
    return { ...this.#view, compared: known }
  }

  #legend(hasKey = true): Legend {
    return legendOf(this.#view, this.#codes, hasKey ? this.#datasets : [])
  }

  /** Moves the map to everything that the view shows. All places of a long search are somewhere in their datasets. */
  #goHome(): void {
    // Without a key the view shows nothing, and the message about a refused key would be wrong.
    if (readKey() === undefined) return
    const drawn = this.#drawnView()
    if (!drawn) return
    const { dataset, compared, near, within, text } = drawn
    const isByName = text !== undefined && !near && !within
    const view = { dataset, compared, near, within }
    if (isByName && this.#found.length > 0) moveToItems(this.#map, this.#found)
    else void this.#attempt(() => moveMap(this.#map, view, {}, this.#reads.signal), this.#reads.signal)
  }

  #pick(latitude: number, longitude: number): void {
    const radius = this.#picker.take()
    if (radius !== undefined) this.#nearbyActions(this.#view).search({ latitude, longitude, radius })
  }

  /** Opens a suggested place. If the search has found nothing, the place takes its entry in the history. */
  #openSuggested(item: string): void {
    const { dataset, compared, category, area } = this.#view
    const view: View = { dataset, compared, category, area, item }
    const isInVain = isSearch(this.#view) && this.#proposed.length > 0
    if (!isInVain) this.open({ ...this.#view, item, at: undefined })
    else {
      history.replaceState(history.state, '', formatAddress(view))
      void this.#show(view)
    }
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
    if (isNext) history.replaceState(history.state, '', formatAddress(view))
    else this.#push(view)
    void this.#show(view)
  }

  /**
   * Writes the map's place into the address, in the same entry of the history. A search in the visible part of the map then
   * runs again. While an item is shown it does not, because the person goes back to the old list.
   */
  #noteMove(at: NonNullable<View['at']>): void {
    // A change of the map's size counts as a move. Before the datasets are read, the first view has not moved the map yet.
    if (this.#datasets.length === 0) return
    const { within, item } = this.#view
    const box = within && item === undefined ? this.#map.visibleBox() : within
    const view = { ...this.#view, at, within: box }
    history.replaceState(history.state, '', formatAddress(view))
    if (box?.join() === within?.join()) this.#view = view
    else void this.#show(view)
  }

  #followLink(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a[data-view]') : null
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    // The legend is drawn again, so its link would lose the focus.
    if (link.closest('#legend')) this.#area.focus()
    // The way back goes back, so the map and the history are as they were.
    if (link.dataset.view === 'back' && history.state?.before === link.getAttribute('href')) history.back()
    else this.open(parseAddress(link.search))
  }

  #dataset(): Dataset | undefined {
    return findDataset(this.#datasets, this.#view)
  }

  #showCredit(): void {
    const { dataset, compared = [dataset ?? []].flat() } = this.#view
    const named = compared.flatMap((slug) => findDataset(this.#datasets, { dataset: slug }) ?? [])
    const credited = this.#item ? [this.#item.dataset] : compared.length > 0 ? named : this.#datasets
    showCredits(
      credited.map(({ attribution }) => attribution),
      this.#mapCredit,
    )
  }
}
