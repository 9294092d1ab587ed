import { element } from '../shared/dom.ts'
import { readKey } from '../shared/key.ts'
import { formatAddress, parseAddress, type View } from './address.ts'
import { moveMap } from './camera.ts'
import { type Dataset, type Item, type ListedItem, readDatasets, readItem, readResults } from './data.ts'
import { datasetsView } from './datasets-view.ts'
import { itemView } from './item-view.ts'
import { type ExplorerMap, openMap } from './map.ts'
import { showCredits, showStatus } from './map-lines.ts'
import { placesView } from './places-view.ts'
import { PointPicker } from './point-picker.ts'
import { problemNote } from './problem.ts'
import { showsResults } from './style.ts'
import { welcomeView } from './welcome-view.ts'

/*
 * Holds what is shown (the view in the address bar), reads what it needs, and gives it to the list and the map.
 */

const ITEM_ZOOM = 14

export class Explorer {
  readonly #side: HTMLElement
  readonly #map: ExplorerMap
  readonly #dark = matchMedia('(prefers-color-scheme: dark)')
  #view: View = parseAddress(location.search)
  #datasets: readonly Dataset[] = []
  #items: ListedItem[] = []
  #item: Item | undefined
  readonly #picker = new PointPicker()
  #reads = new AbortController()

  constructor(side: HTMLElement, map: HTMLElement) {
    this.#side = side
    this.#map = openMap(map, this.#view.at, {
      onPlace: (item) => this.open({ ...this.#view, item }),
      onGround: (latitude, longitude) => this.#pick(latitude, longitude),
      onMove: (at) => this.#noteMove(at),
      onProblem: (message) => showStatus(`The map is not complete: ${message}`),
    })
    window.addEventListener('popstate', () => {
      const view = parseAddress(location.search)
      if (view.at) this.#map.jumpTo(view.at)
      void this.#show(view)
    })
    this.#dark.addEventListener('change', () => this.#drawMap())
    side.addEventListener('click', (event) => this.#followLink(event))
  }

  /** Starts again, with the key of now. */
  restart(): void {
    this.#datasets = []
    this.#show(this.#view)
  }

  /** Opens a view, with an entry in the history. */
  open(view: View): void {
    history.pushState(undefined, '', formatAddress(view))
    this.#show(view)
  }

  async #show(view: View): Promise<void> {
    const before = this.#view
    this.#view = view
    this.#reads.abort()
    this.#reads = new AbortController()
    const { signal } = this.#reads
    await this.#attempt(() => this.#read(view, before, signal), signal)
  }

  /** Reads and shows something. A problem takes the place of the list, unless another view is on its way. */
  async #attempt(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#side.setAttribute('aria-busy', 'true')
    try {
      await action()
    } catch (error) {
      if (signal.aborted) return
      const note = problemNote(error, () => this.#show(this.#view))
      // A refused key has been forgotten by now, and the page shows that instead.
      if (!signal.aborted) this.#side.replaceChildren(element('div', { class: 'view' }, note))
    }
    if (!signal.aborted) this.#side.removeAttribute('aria-busy')
  }

  async #read(view: View, before: View, signal: AbortSignal): Promise<void> {
    showStatus('')
    if (readKey() === undefined) {
      this.#datasets = []
      this.#item = undefined
      this.#showCredit()
      this.#drawMap()
      return this.#fill(welcomeView())
    }
    if (this.#datasets.length === 0) this.#datasets = await readDatasets(signal)
    signal.throwIfAborted()
    if (view.item === undefined) this.#item = undefined
    this.#showCredit()
    const isPlaces = view.dataset !== undefined || view.near !== undefined
    const isNewList = JSON.stringify(listOf(view)) !== JSON.stringify(listOf(before)) || this.#items.length === 0
    if (isPlaces && isNewList) this.#items = []
    this.#drawMap()
    if (view.at === undefined) void this.#attempt(() => moveMap(this.#map, view, before, signal), signal)
    if (view.item !== undefined) {
      if (showsResults(view) && this.#items.length === 0) this.#items = (await readResults(view, 1, signal)).items
      await this.#showItem(view, signal)
    } else if (isPlaces) await this.#showPlaces(view, 1, signal)
    else this.#fill(datasetsView(this.#datasets, signal))
  }

  async #showItem(view: View, signal: AbortSignal): Promise<void> {
    const item = await readItem(view.item ?? '', signal)
    signal.throwIfAborted()
    if (!item) return
    this.#item = item
    this.#fill(itemView(item, view))
    this.#showCredit()
    this.#drawMap()
    if (view.at === undefined) this.#map.flyTo(Number(item.latitude), Number(item.longitude), ITEM_ZOOM)
  }

  async #showPlaces(view: View, page: number, signal: AbortSignal): Promise<void> {
    const results = await readResults(view, page, signal)
    signal.throwIfAborted()
    this.#items = page === 1 ? results.items : [...this.#items, ...results.items]
    const list = placesView(
      { view, dataset: this.#dataset(), ...results, items: this.#items },
      {
        open: (next) => this.open(next),
        more: () => this.#attempt(() => this.#showPlaces(view, page + 1, signal), signal),
        pick: (radius) => this.#picker.toggle(radius),
        search: (near) => this.open({ dataset: view.dataset, near }),
      },
    )
    this.#fill(list, page === 1)
    if (showsResults(view)) this.#drawMap()
  }

  #fill(content: HTMLElement, isNew = true): void {
    const hadFocus = this.#side.contains(document.activeElement)
    this.#side.replaceChildren(content)
    if (!isNew) return
    this.#side.scrollTop = 0
    if (hadFocus) content.querySelector('h1')?.focus()
  }

  #drawMap(): void {
    this.#map.show({
      hasKey: readKey() !== undefined,
      view: this.#view,
      results: this.#items,
      item: this.#item,
      isDark: this.#dark.matches,
    })
  }

  #pick(latitude: number, longitude: number): void {
    const radius = this.#picker.take()
    if (radius !== undefined) this.open({ dataset: this.#view.dataset, near: { latitude, longitude, radius } })
  }

  /** Writes the map's place into the address, in the same entry of the history. */
  #noteMove(at: NonNullable<View['at']>): void {
    this.#view = { ...this.#view, at }
    history.replaceState(history.state, '', formatAddress(this.#view))
  }

  #followLink(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a[data-view]') : null
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    this.open(parseAddress(link.search))
  }

  #dataset(): Dataset | undefined {
    return this.#datasets.find(({ slug, id }) => slug === this.#view.dataset || id === this.#view.dataset)
  }

  #showCredit(): void {
    const shown = this.#item?.dataset ?? this.#dataset()
    showCredits((shown ? [shown] : this.#datasets).map(({ attribution }) => attribution))
  }
}

/** The part of a view that decides what is listed. */
function listOf({ dataset, category, area, near }: View): View {
  return { dataset, category, area, near }
}
