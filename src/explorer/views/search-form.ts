import type { Bounds } from '../map/box.ts'
import { Combobox } from '../shared/combobox.ts'
import { byId, element } from '../shared/dom.ts'
import { AT_LEAST } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { isSearch, type View } from './address.ts'
import { areaLabel, type CodesOf, categoryLabel } from './codes.ts'
import { type Dataset, findDataset } from './data.ts'
import { isNarrow } from './narrow.ts'
import { readSuggestions } from './suggestions.ts'

/*
 * The search by name and in the visible part of the map. The form stays while the list below it changes, so a person can go on typing.
 */

/** Code points. */
const MAX_TEXT_LENGTH = 200
/** Milliseconds without a key press, after which the search begins. */
const TYPING_PAUSE_MS = 250

export type Search = Pick<View, 'dataset' | 'compared' | 'text' | 'within'>

export interface SearchActions {
  search: (search: Search) => void
  visibleBox: () => Bounds
  /** Opens a suggested place. */
  openItem: (id: string) => void
  codesOf: CodesOf
}

/** Returns the problem of a text to search for; undefined if the text is valid. */
function textProblem(text: string): string | undefined {
  const length = [...text].length
  if (length <= MAX_TEXT_LENGTH) return undefined
  return t.textTooLong(length, MAX_TEXT_LENGTH)
}

export class SearchForm {
  readonly #search = byId('search', HTMLElement)
  readonly #text = byId('search-text', HTMLInputElement)
  readonly #dataset = byId('search-dataset', HTMLSelectElement)
  readonly #isVisibleOnly = byId('search-visible', HTMLInputElement)
  readonly #status = byId('search-status', HTMLElement)
  readonly #actions: SearchActions
  readonly #suggestions: Combobox
  #suggesting = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Its filter counts for suggestions too, as long as the dataset is the same. */
  #view: View = {}

  constructor(actions: SearchActions) {
    this.#actions = actions
    this.#suggestions = new Combobox(this.#text, t.suggestions, ({ value }) => {
      this.stop()
      actions.openItem(value)
    })
    byId('search-suggestions', HTMLElement).append(this.#suggestions.list)
    this.#text.addEventListener('input', () => {
      this.stop()
      this.#timer = setTimeout(() => {
        this.#run()
        void this.#suggest()
      }, TYPING_PAUSE_MS)
    })
    this.#dataset.addEventListener('change', () => this.#run())
    this.#isVisibleOnly.addEventListener('change', () => this.#run())
    byId('search-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault()
      this.stop()
      if (this.#trimmed() === '' && !this.#isVisibleOnly.checked) this.say(t.typeName)
      else {
        // The keyboard of a phone covers the results.
        if (isNarrow()) this.#text.blur()
        this.#run()
      }
    })
  }

  /** Shows the search of a view. */
  show(view: View, datasets: readonly Dataset[]): void {
    this.#view = view
    this.#search.hidden = false
    if (this.#timer === undefined && this.#trimmed() !== (view.text ?? '')) {
      this.#text.value = view.text ?? ''
      this.#report(undefined)
    }
    this.#isVisibleOnly.checked = view.within !== undefined
    const shown = findDataset(datasets, view)
    // The address may have the UUID of the dataset. A search then keeps it, and the filters.
    const known = datasets.map((each): [string, string] => [
      each === shown ? (view.dataset ?? each.slug) : each.slug,
      each.name,
    ])
    const compared: [string, string][] = view.compared ? [[view.compared.join(), t.compared]] : []
    this.#dataset.replaceChildren(
      element('option', { value: '' }, t.allDatasets),
      ...[...known, ...compared].map(([value, name]) => element('option', { value }, name)),
    )
    this.#dataset.value = (shown && view.dataset) ?? view.compared?.join() ?? ''
    if (!isSearch(view)) this.#report(undefined)
  }

  /** Drops a search that was typed and has not begun. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#suggesting.abort()
    this.#suggestions.close()
  }

  /** Without a key there is nothing to search. */
  hide(): void {
    this.stop()
    this.#search.hidden = true
    this.#text.value = ''
    this.#dataset.replaceChildren()
    this.say('')
  }

  /** Shows the number of items that a search has found: first how many there are at least. */
  sayTotal(view: View, least: number, total: Promise<number>): void {
    if (!isSearch(view)) return
    const say = (count: number, more = '') => this.say(t.found(count, view.text, view.within !== undefined, more))
    say(least, AT_LEAST)
    total.then(say, () => {})
  }

  say(message: string): void {
    this.#status.textContent = message
  }

  #run(): void {
    this.stop()
    const text = this.#trimmed()
    const problem = textProblem(text)
    this.#report(problem)
    if (problem !== undefined) return
    this.#actions.search(this.#asked())
  }

  /** What the form asks for. */
  #asked(): Search {
    const chosen = this.#dataset.value
    return {
      ...(chosen.includes(',') ? { compared: chosen.split(',') } : { dataset: chosen || undefined }),
      text: this.#trimmed() || undefined,
      within: this.#isVisibleOnly.checked ? this.#actions.visibleBox() : undefined,
    }
  }

  async #suggest(): Promise<void> {
    if (textProblem(this.#trimmed()) !== undefined) return
    this.#suggesting = new AbortController()
    const { signal } = this.#suggesting
    const asked = this.#asked()
    const category = asked.dataset === this.#view.dataset ? this.#view.category : undefined
    const items = await readSuggestions({ ...asked, category }, signal)
    if (signal.aborted || document.activeElement !== this.#text) return
    this.#suggestions.show(
      items.map(({ id, datasetId, name, categoryCode, administrativeAreaCode }) => {
        const codes = this.#actions.codesOf(datasetId)
        const labels = [categoryLabel(categoryCode, codes), areaLabel(administrativeAreaCode, codes)]
        // Many places have the same name.
        return { value: id, label: name, note: Promise.all(labels).then((known) => known.join(' · ')) }
      }),
    )
  }

  #report(problem: string | undefined): void {
    this.#text.setAttribute('aria-invalid', String(problem !== undefined))
    this.say(problem ?? '')
  }

  #trimmed(): string {
    return this.#text.value.trim()
  }
}
