import { button, element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'
import type { Item, ListedItem } from '../views/data.ts'
import { addressOf, memberList, webLink } from '../views/item-facts.ts'
import { pictureFigure } from '../views/picture.ts'

/*
 * The card of a place in a frame. It lies on the map, because a bubble at the place would not fit into a small frame.
 */

export class PlaceCard {
  readonly #card: HTMLElement
  readonly #onClose: () => void

  constructor(card: HTMLElement, onClose: () => void) {
    this.#card = card
    this.#onClose = onClose
    card.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close())
  }

  showPlace(item: Item, category: string): void {
    const picture = item.images.find(({ isPrimary }) => isPrimary) ?? item.images[0]
    this.#show(
      item.name,
      memberList([
        [t.category, category],
        [t.address, addressOf(item)],
        [t.openingHours, item.openingHours],
        [t.telephone, item.telephone],
        [t.website, webLink(item.url)],
      ]),
      picture ? element('div', { class: 'pictures' }, pictureFigure(picture)) : undefined,
    )
  }

  showList(items: readonly ListedItem[], total: number, open: (id: string) => void): void {
    const rest = total - items.length
    this.#show(
      t.places(total),
      element(
        'ul',
        {},
        ...items.map(({ id, name }) =>
          element(
            'li',
            {},
            button(name, () => open(id), { class: 'link', dir: 'auto' }),
          ),
        ),
        rest > 0 ? element('li', {}, t.andMore(rest)) : undefined,
      ),
    )
  }

  showProblem(message: string): void {
    this.#show(t.problem, element('p', { role: 'alert' }, message))
  }

  /** Without the focus it was closed by a click on the map, which has the focus then. */
  close(): void {
    if (this.#card.hidden) return
    const hadFocus = this.#card.contains(document.activeElement)
    this.#card.hidden = true
    this.#onClose()
    if (hadFocus) document.querySelector<HTMLElement>('.maplibregl-canvas')?.focus()
  }

  /** The card gets the focus, so that a screen reader reads it. */
  #show(title: string, ...content: (HTMLElement | undefined)[]): void {
    this.#card.replaceChildren(
      button('×', () => this.close(), { class: 'close', 'aria-label': t.close }),
      element('h1', { id: 'card-title', dir: 'auto' }, title),
      ...content.filter((part) => part !== undefined),
    )
    this.#card.hidden = false
    this.#card.scrollTop = 0
    this.#card.focus()
  }
}
