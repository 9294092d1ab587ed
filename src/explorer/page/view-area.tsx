import { Fragment, render, type VNode } from 'preact'
import { ApiError, messageOf } from '../shared/api-error.ts'
import { forgetKey } from '../shared/key.ts'
import { askForKey } from '../shared/key-field.ts'
import { readPageData } from '../shared/page-data.ts'
import { fill, t } from '../shared/text.ts'
import { Problem } from '../views/problem.tsx'
import { isNarrow } from './narrow.ts'
import { titleOf } from './title.ts'

/*
 * The part of the page that shows one view at a time. It keeps the focus and the scroll position where a person expects them.
 */

export class ViewArea {
  readonly element: HTMLElement
  /** How far the next view is to be scrolled, if it was shown before. */
  #scrollTop: number | undefined
  #views = 0
  /** The grey lines that the page comes with. */
  readonly #skeleton: ChildNode[]

  constructor(element: HTMLElement) {
    this.element = element
    this.#skeleton = [...element.childNodes]
  }

  set isBusy(isBusy: boolean) {
    if (isBusy) this.element.setAttribute('aria-busy', 'true')
    else this.element.removeAttribute('aria-busy')
  }

  /** Whether the panel has room for a table. Then the map is narrower, so this is set before the map moves to the places. */
  set hasTable(hasTable: boolean) {
    this.element.closest('.explorer')?.classList.toggle('has-table', hasTable)
  }

  /** How far the view is scrolled, in pixels. */
  get scrollTop(): number {
    return this.#scroller().scrollTop
  }

  /** Scrolls the next view to where it was, or to its start. */
  scrollNextTo(scrollTop: number | undefined): void {
    this.#scrollTop = scrollTop
  }

  focus(): void {
    this.element.focus({ preventScroll: true })
  }

  /** Shows grey lines where the first view will be. */
  showSkeleton(): void {
    render(null, this.element)
    this.element.replaceChildren(...this.#skeleton)
  }

  /** Shows a view from its start. A control that the view before has too keeps the focus, such as a box of the choice of columns. */
  show(view: VNode): void {
    const kept = this.#focused()?.dataset.focus
    const isFirst = this.element.querySelector('.skeleton') !== null
    const control = () =>
      kept === undefined ? null : this.element.querySelector<HTMLElement>(`[data-focus="${kept}"]`)
    this.replace(view, () => control() ?? this.element.querySelector('h1'))
    if (!control()) this.#scrollToStart(isFirst)
    if (this.#scrollTop !== undefined) this.#scroller().scrollTop = this.#scrollTop
    this.#scrollTop = undefined
  }

  /**
   * Replaces the view, and stays where it is scrolled.
   * @param next gets the focus if something in the old view has it
   */
  replace(view: VNode, next: () => HTMLElement | null | undefined): void {
    const hadFocus = this.#focused() !== undefined
    const { scrollTop } = this
    this.#draw(view)
    this.#scroller().scrollTop = scrollTop
    if (hadFocus) next()?.focus()
  }

  /** Shows an error in place of the view. A refused key is forgotten, which starts the page again, and another one asked for. */
  showProblem(error: unknown, signal: AbortSignal, retry: () => void): void {
    if (error instanceof ApiError && error.status === 401) refuseKey(error)
    if (signal.aborted) return
    this.replace(<Problem error={error} retry={retry} />, () =>
      this.element.querySelector<HTMLElement>('.problem .button'),
    )
    document.title = titleOf({}, t.problem, undefined)
  }

  /** Each view begins anew: nothing in it is that of the view before. */
  #draw(view: VNode): void {
    for (const line of this.#skeleton) line.remove()
    this.#views++
    render(<Fragment key={this.#views}>{view}</Fragment>, this.element)
  }

  /** The element in the view that has the focus. */
  #focused(): HTMLElement | undefined {
    const { activeElement } = document
    return activeElement instanceof HTMLElement && this.element.contains(activeElement) ? activeElement : undefined
  }

  #scrollToStart(isFirst: boolean): void {
    this.element.parentElement?.scrollTo(0, 0)
    if (!isNarrow()) return
    // The map stands above the list. The first view comes below the search; the next ones come up, unless a person types.
    const isNext = !isFirst && !document.activeElement?.closest('.search')
    const covered = Number.parseFloat(getComputedStyle(this.element).scrollMarginTop)
    if (isNext || this.element.getBoundingClientRect().top < covered) this.element.scrollIntoView()
  }

  /** On a wide screen the panel scrolls, on a narrow one the page does. */
  #scroller(): Element {
    const panel = this.element.parentElement
    return panel && getComputedStyle(panel).overflowY !== 'visible' ? panel : document.documentElement
  }
}

function refuseKey(error: ApiError): void {
  forgetKey()
  const { contact } = readPageData()
  const ask = fill(t.giveAnotherKey, { reason: messageOf(error) })
  askForKey(contact === undefined ? ask : `${ask} ${fill(t.whomToAsk, { contact })}`)
}
