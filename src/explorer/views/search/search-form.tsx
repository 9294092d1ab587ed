import { Component, createRef, render } from 'preact'
import { isSearch, type View } from '../../data/address.ts'
import type { CodesOf, Dataset, ListedItem } from '../../data/datasets.ts'
import type { Bounds } from '../../map/box.ts'
import { isNarrow } from '../../page/narrow.ts'
import { Combobox, type Option } from '../../shared/combobox.tsx'
import { t } from '../../shared/text.ts'
import { SearchScope } from './search-scope.tsx'
import { foundText, textProblem } from './search-text.ts'
import { CodeLabels, readSuggestions } from './suggestions.tsx'

/*
 * The search by name and in the visible part of the map. The form stays while the list below it changes, so a person can go on typing.
 */

/** Milliseconds without a key press, after which the search begins. */
const TYPING_PAUSE_MS = 250
const NONE: readonly Option[] = []

export type Search = Pick<View, 'dataset' | 'compared' | 'text' | 'within'>

interface SearchProps {
  /** Gets the form when it is on the page. */
  ready: (form: SearchForm) => void
  search: (search: Search) => void
  visibleBox: () => Bounds
  /** Opens a suggested place. */
  openItem: (id: string) => void
  codesOf: CodesOf
}

interface SearchState {
  isShown: boolean
  /** Whether the form shows where it searches. A search does, and so does a form that a person has gone to. */
  isOpen: boolean
  /** Its filter counts for suggestions too, as long as the dataset is the same. */
  view: View
  datasets: readonly Dataset[]
  text: string
  status: string
  isInvalid: boolean
  suggestions: readonly Option[]
}

const HIDDEN: SearchState = {
  isShown: false,
  isOpen: false,
  view: {},
  datasets: [],
  text: '',
  status: '',
  isInvalid: false,
  suggestions: NONE,
}

export class SearchForm extends Component<SearchProps, SearchState> {
  override state = HIDDEN
  readonly #text = createRef<HTMLInputElement>()
  #suggesting = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  override componentDidMount(): void {
    this.props.ready(this)
  }

  /** Shows the search of a view. */
  show(view: View, datasets: readonly Dataset[]): void {
    const isOther = this.#timer === undefined && this.#trimmed() !== (view.text ?? '')
    this.setState({
      isShown: true,
      isOpen: isSearch(view) || this.#form?.contains(document.activeElement) === true,
      view,
      datasets,
      ...(isOther && { text: view.text ?? '' }),
      ...((isOther || !isSearch(view)) && { status: '', isInvalid: false }),
    })
  }

  /** Drops a search that was typed and has not begun. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#suggesting.abort()
    this.setState({ suggestions: NONE })
  }

  /** Without a key there is nothing to search. */
  hide(): void {
    this.stop()
    this.setState(HIDDEN)
  }

  /** Shows the number of items that a search has found: first how many there are at least. */
  sayTotal(view: View, least: number, total: Promise<number>): void {
    if (!isSearch(view)) return
    this.say(foundText(view, least, true))
    total.then(
      (count) => this.say(foundText(view, count, false)),
      () => {},
    )
  }

  say(status: string): void {
    this.setState({ status })
  }

  #run(): void {
    this.stop()
    const problem = textProblem(this.#trimmed())
    this.setState({ status: problem ?? '', isInvalid: problem !== undefined })
    if (problem === undefined) this.props.search(this.#asked())
  }

  /** What the form asks for. */
  #asked(): Search {
    const asked = new FormData(this.#form)
    const chosen = String(asked.get('dataset'))
    return {
      ...(chosen.includes(',') ? { compared: chosen.split(',') } : { dataset: chosen || undefined }),
      text: this.#trimmed() || undefined,
      within: asked.has('visible') ? this.props.visibleBox() : undefined,
    }
  }

  async #suggest(): Promise<void> {
    if (textProblem(this.#trimmed()) !== undefined) return
    this.#suggesting = new AbortController()
    const { signal } = this.#suggesting
    const asked = this.#asked()
    const { view } = this.state
    const category = asked.dataset === view.dataset ? view.category : undefined
    const items = await readSuggestions({ ...asked, category }, signal)
    if (signal.aborted || document.activeElement !== this.#text.current) return
    const noteOf = (item: ListedItem) => <CodeLabels item={item} codes={this.props.codesOf(item.datasetId)} />
    this.setState({ suggestions: items.map((item) => ({ value: item.id, label: item.name, note: noteOf(item) })) })
  }

  get #form(): HTMLFormElement | undefined {
    return this.#text.current?.form ?? undefined
  }

  /** The field has the newest text before the form is drawn again. */
  #trimmed(): string {
    return (this.#text.current?.value ?? '').trim()
  }

  #type(text: string): void {
    this.stop()
    this.setState({ text })
    this.#timer = setTimeout(() => {
      this.#run()
      void this.#suggest()
    }, TYPING_PAUSE_MS)
  }

  #submit(event: Event): void {
    event.preventDefault()
    this.stop()
    if (this.#trimmed() === '' && !new FormData(this.#form).has('visible')) this.say(t.typeName)
    else {
      // The keyboard of a phone covers the results.
      if (isNarrow()) this.#text.current?.blur()
      this.#run()
    }
  }

  override render() {
    const { isShown, isOpen, view, datasets, text, status, isInvalid, suggestions } = this.state
    return (
      <search class="search" aria-label={t.searchArea} hidden={!isShown}>
        <form onSubmit={(event) => this.#submit(event)} onFocusIn={() => this.setState({ isOpen: true })}>
          <label class="visually-hidden" for="search-text">
            {t.search}
          </label>
          <Combobox
            id="search-text"
            input={this.#text}
            type="search"
            enterkeyhint="search"
            placeholder={t.search}
            aria-describedby="search-status"
            aria-invalid={isInvalid}
            label={t.suggestions}
            value={text}
            options={suggestions}
            choose={({ value }) => {
              this.stop()
              this.props.openItem(value)
            }}
            close={() => this.setState({ suggestions: NONE })}
            onInput={({ currentTarget: { value } }) => this.#type(value)}
          />
          <button type="submit" class="button primary">
            {t.searchNow}
          </button>
          <SearchScope isHidden={!isOpen} view={view} datasets={datasets} change={() => this.#run()} />
          <p class="search-status" id="search-status" role="status">
            {status}
          </p>
        </form>
      </search>
    )
  }
}

/** Puts the form into an element. */
export function startSearch(place: HTMLElement, props: Omit<SearchProps, 'ready'>): SearchForm {
  const forms: SearchForm[] = []
  render(<SearchForm {...props} ready={(form) => forms.push(form)} />, place)
  const [form] = forms
  if (!form) throw new TypeError('The search was not drawn')
  return form
}
