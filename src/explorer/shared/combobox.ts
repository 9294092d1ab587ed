import { type Child, element } from './dom.ts'

/*
 * A text field with a list of options below it, by the pattern "combobox" of the ARIA Authoring Practices: the focus stays in the
 * field, the arrow keys choose an option, Enter takes it, Escape closes the list.
 */

export interface Option {
  value: string
  label: string
  /** A second text beside the label, such as a total. */
  note?: Child
}

export class Combobox {
  /** The list. It belongs behind the field, in an element of the class `combobox`. */
  readonly list: HTMLUListElement
  readonly #input: HTMLInputElement
  readonly #choose: (option: Option) => void
  #options: readonly Option[] = []
  #active = -1
  /** -1, which is no option, or 0. */
  #first = -1

  /** `label` names the list for screen readers. */
  constructor(input: HTMLInputElement, label: string, choose: (option: Option) => void) {
    this.#input = input
    this.#choose = choose
    this.list = element('ul', { class: 'options', id: `${input.id}-options`, role: 'listbox', 'aria-label': label })
    this.list.hidden = true
    input.setAttribute('role', 'combobox')
    input.setAttribute('aria-autocomplete', 'list')
    input.setAttribute('aria-expanded', 'false')
    input.setAttribute('aria-controls', this.list.id)
    input.addEventListener('keydown', (event) => this.#press(event))
    input.addEventListener('blur', () => this.close())
    // The field keeps the focus.
    this.list.addEventListener('mousedown', (event) => event.preventDefault())
    this.list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element ? target.closest('li') : null
      if (option) this.#take([...this.list.children].indexOf(option))
    })
  }

  get isOpen(): boolean {
    return !this.list.hidden
  }

  /**
   * Opens the list with options; closes it if there are none.
   * @param hasActive is whether an option is always active, the first one to begin with; otherwise none may be
   */
  show(options: readonly Option[], hasActive = false): void {
    this.#options = options
    this.#first = hasActive ? 0 : -1
    this.list.replaceChildren(
      ...options.map(({ label, note }, i) =>
        element(
          'li',
          { role: 'option', id: `${this.list.id}-${i}`, 'aria-selected': 'false' },
          element('bdi', {}, label),
          note === undefined ? undefined : element('span', { class: 'soft' }, note),
        ),
      ),
    )
    this.list.hidden = options.length === 0
    this.#input.setAttribute('aria-expanded', String(this.isOpen))
    this.#activate(this.#first)
  }

  close(): void {
    this.show([])
  }

  #press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!this.isOpen || event.isComposing) return
    if (step !== undefined) this.#activate(this.#next(step))
    else if (event.key === 'Escape') this.close()
    else if (event.key === 'Enter' && this.#active >= 0) this.#take(this.#active)
    else return
    event.preventDefault()
    // Escape would also empty a search field, and Enter send its form.
    event.stopPropagation()
  }

  /** The option after or before the active one. The last and the first are neighbours; if none may be active, that lies between them. */
  #next(step: number): number {
    const count = this.#options.length - this.#first
    return ((this.#active - this.#first + step + count) % count) + this.#first
  }

  #activate(index: number): void {
    this.list.children[this.#active]?.setAttribute('aria-selected', 'false')
    this.#active = index
    const option = this.list.children[index]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    if (option) this.#input.setAttribute('aria-activedescendant', option.id)
    else this.#input.removeAttribute('aria-activedescendant')
  }

  #take(index: number): void {
    const option = this.#options[index]
    this.close()
    if (option) this.#choose(option)
  }
}
